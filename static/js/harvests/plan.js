// A new plan counts days in the zone of its reader's browser; the server knows only its own.

const zone = document.querySelector('#plan[data-new] [name="zone"]');
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && [...zone.options].some((option) => option.value === here)) zone.value = here;
