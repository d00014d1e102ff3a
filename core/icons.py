# ruff: noqa: E501 - a path reads no better in two lines
"""All icons of the pages, on one 16 px grid with one stroke. Each value is the content of an `<svg>`."""

ICONS: dict[str, str] = {
    "logo": '<path d="M1.5 8.5l3.5 4L11 4.5"/><path d="M6.5 10.2l2 2.3L14.5 4.5" opacity=".55"/>',
    "theme": '<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 010 11z" fill="currentColor"/>',
    "bell": '<path d="M4 11V7a4 4 0 018 0v4l1.3 1.5H2.7zM6.6 12.5a1.5 1.5 0 002.8 0"/>',
    "check": '<path d="M3 8.5l3.2 3.5L13 4.5"/>',
    "x": '<path d="M4 4l8 8M12 4l-8 8"/>',
    "plus": '<path d="M8 3v10M3 8h10"/>',
    "search": '<circle cx="7" cy="7" r="4.5"/><path d="M10.5 10.5L14 14"/>',
    "down": '<path d="M3.5 6L8 10.5 12.5 6"/>',
    "up": '<path d="M3.5 10L8 5.5l4.5 4.5"/>',
    "right": '<path d="M6 3.5L10.5 8 6 12.5"/>',
    "left": '<path d="M10 3.5L5.5 8l4.5 4.5"/>',
    "back": '<path d="M7 3.5L2.5 8 7 12.5M3 8h10.5"/>',
    "arrow": '<path d="M9 3.5L13.5 8 9 12.5M13 8H2.5"/>',
    "play": '<path d="M4.5 3v10l8-5z"/>',
    "pause": '<path d="M5.5 3.5v9M10.5 3.5v9"/>',
    "skip": '<path d="M3.5 3.5v9l7-4.5zM12.5 3.5v9"/>',
    "external": (
        '<path d="M9 2.5h4.5V7M13.5 2.5L7.5 8.5M11.5 9.5v3a1 1 0 01-1 1h-7a1 1 0 01-1-1v-7a1 1 0 011-1h3"/>'
    ),
    "download": '<path d="M8 2.5v8M4.8 7.5L8 10.7l3.2-3.2M2.5 13.5h11"/>',
    "upload": '<path d="M8 10.7v-8M4.8 5.9L8 2.7l3.2 3.2M2.5 13.5h11"/>',
    "lock": '<rect x="3" y="7" width="10" height="6.5" rx="1.5"/><path d="M5.2 7V5a2.8 2.8 0 015.6 0v2"/>',
    "eye": '<path d="M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8z"/><circle cx="8" cy="8" r="2"/>',
    "keys": '<rect x="1.5" y="4" width="13" height="8.5" rx="1.5"/><path d="M4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 10h6"/>',
    "people": (
        '<circle cx="6" cy="5.5" r="2.5"/><path d="M1.5 13.5c.3-2.8 2-4.2 4.5-4.2s4.2 1.4 4.5 4.2'
        'M10.5 3.2a2.5 2.5 0 010 4.6M12 9.6c1.5.6 2.3 1.9 2.5 3.9"/>'
    ),
    "language": '<circle cx="8" cy="8" r="6"/><path d="M2 8h12M8 2c4.5 4 4.5 8 0 12M8 2c-4.5 4-4.5 8 0 12"/>',
    "person": '<circle cx="8" cy="5.5" r="2.7"/><path d="M2.8 13.8c.4-3 2.3-4.5 5.2-4.5s4.8 1.5 5.2 4.5"/>',
    "book": (
        '<path d="M8 4C6.5 2.8 4.3 2.5 2 2.8v9.7c2.3-.3 4.5 0 6 1.2 1.5-1.2 3.7-1.5 6-1.2V2.8C11.7 2.5 9.5 2.8 8 4z'
        'M8 4v9.5"/>'
    ),
    "vote": '<path d="M2.5 9.5h11v4h-11zM5 9.5L8.5 3 12 5 9.8 9.5"/>',
    "flag": '<path d="M3.5 14V2.5h8.5l-2 3 2 3H3.5"/>',
    "copy": '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M3.5 10.5h-1v-8h8v1"/>',
    "info": '<circle cx="8" cy="8" r="6"/><path d="M8 7.2v4M8 4.9h.01"/>',
    "alert": '<path d="M8 2.2L14.6 13.5H1.4zM8 6.5v3.2M8 11.6h.01"/>',
    "clock": '<circle cx="8" cy="8" r="6"/><path d="M8 4.5V8l2.5 1.7"/>',
    "home": '<path d="M2.5 7.5L8 2.8l5.5 4.7V13.5h-4v-4h-3v4h-4z"/>',
    "leave": '<path d="M9.5 2.5h-6v11h6M7 8h7M11.5 5.5L14 8l-2.5 2.5"/>',
    "inbox": '<path d="M2 9.5L4 3.5h8l2 6v3.5H2zM2 9.5h3.5l1 1.8h3l1-1.8H14"/>',
    "file": '<path d="M3.5 1.8h6l3 3v9.4h-9zM9.3 2v3h3"/>',
    "issue": '<circle cx="8" cy="8" r="6"/><circle cx="8" cy="8" r="1.3" fill="currentColor"/>',
    "tree": '<path d="M3 2.5h3.5v3H3zM9.5 6.5H13v3H9.5zM9.5 11H13v3H9.5zM4.7 5.5v7h4.8M4.7 8h4.8"/>',
    "split": '<path d="M2.5 8h4l4-4.5M6.5 8l4 4.5M8.5 3.5h2.5v2.5M8.5 12.5h2.5v-2.5"/>',
    "filter": '<path d="M2 3.5h12M4.5 8h7M6.8 12.5h2.4"/>',
    "link": '<path d="M6.8 9.2a2.6 2.6 0 003.7 0l2.3-2.3a2.6 2.6 0 00-3.7-3.7l-1 1M9.2 6.8a2.6 2.6 0 00-3.7 0L3.2 9.1a2.6 2.6 0 003.7 3.7l1-1"/>',
    "mail": '<rect x="1.8" y="3.5" width="12.4" height="9" rx="1.5"/><path d="M2.2 4.5L8 9l5.8-4.5"/>',
    "edit": '<path d="M10.5 3l2.5 2.5L6 12.5l-3.2.7.7-3.2z"/>',
    "trash": '<path d="M2.8 4.5h10.4M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9"/>',
    "dots": '<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.2"/>',
    "chart": '<path d="M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6"/>',
    "refresh": '<path d="M13 8a5 5 0 11-1.6-3.7L13 5.8M13 2.5v3.3H9.7"/>',
    "stop": '<rect x="4" y="4" width="8" height="8" rx="1"/>',
}
