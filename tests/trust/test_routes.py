"""Every route × every role, with the answer expected. A route without a row fails, and so does a row without a route."""

import re
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.urls import URLResolver, get_resolver, reverse

from rounds.models import Round
from studies.actions import publish_guideline
from studies.models import Membership
from tests.trust.interviews import arguments as of_interviews
from tests.trust.world import World, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ROLES = ("anonymous", "stranger", "left", "owner", "lead", "volunteer", "idle volunteer", "viewer", "model")

# POSTs carry no data, so 422 and 400 say: allowed, and now fill in the form. The lead and the volunteer are in the
# round, and have yet to label its issue 1 in others, so that it is kept from them here; the owner and the idle volunteer
# are not. A method that has no row is refused with 405 (401 or a redirect to
# sign in for anonymous).
TABLE = """
# route                  method  anon strg left ownr lead volu idle view modl
healthz                    get    200  200  200  200  200  200  200  200  200
readyz                     get    503  503  503  503  503  503  503  503  503
metrics                    get    404  404  404  404  404  404  404  404  404
server                     get    302  403  403  403  403  403  403  403  403
try_mail                  post   401  403  403  403  403  403  403  403  403
welcome                    get    404  404  404  404  404  404  404  404  404
welcome                    post   404  404  404  404  404  404  404  404  404
home                       get    302  200  200  200  200  200  200  200  200
job                        get    302  404  404  404  200  404  404  404  404
cancel_job                 post   401  404  404  404  302  404  404  404  404

account_login              get    200  302  302  302  302  302  302  302  302
account_login              post   200  302  302  302  302  302  302  302  302
account_logout             get    302  200  200  200  200  200  200  200  200
account_logout             post   302  302  302  302  302  302  302  302  302
account_inactive           get    200  200  200  200  200  200  200  200  200
account_signup             get    403  403  403  403  403  403  403  403  403
account_signup             post   403  403  403  403  403  403  403  403  403
account_change_password    get    302  200  200  200  200  200  200  200  200
account_change_password    post   401  200  200  200  200  200  200  200  200
account_set_password       get    302  302  302  302  302  302  302  302  302
account_set_password       post   401  302  302  302  302  302  302  302  302
account_reset_password     get    200  200  200  200  200  200  200  200  200
account_reset_password     post   200  200  200  200  200  200  200  200  200
account_reset_password_done get   200  200  200  200  200  200  200  200  200
account_reset_password_from_key get 200 200 200 200  200  200  200  200  200
account_reset_password_from_key post 200 200 200 200 200  200  200  200  200
account_reset_password_from_key_done get 200 200 200 200 200 200 200 200 200
sign_in_link               get    200  200  200  200  200  200  200  200  200
sign_in_link               post   302  302  302  302  302  302  302  302  302
choose_language            post   404  404  404  404  404  404  404  404  404
me                         get    302  200  200  200  200  200  200  200  200
me                         post   401  422  422  422  422  422  422  422  422
erase_me                   get    302  200  200  200  200  200  200  200  200
erase_me                   post   401  422  422  422  422  422  422  422  422
change_address             get    302  200  200  200  200  200  200  200  200
change_address             post   401  422  422  422  422  422  422  422  422
confirm_address            get    200  200  200  200  200  200  200  200  200
confirm_address            post   200  200  200  200  200  200  200  200  200
choose_time_zone           post   401  302  302  302  302  302  302  302  302
my_data                    get    302  200  200  200  200  200  200  200  200
make_token                 post   401  422  422  422  422  422  422  422  422
revoke_token               post   401  404  404  404  404  404  404  404  404

new_study                  get    302  403  403  403  403  403  403  403  403
new_study                  post   401  403  403  403  403  403  403  403  403
study                      get    302  404  404  200  200  200  200  200  403
people                     get    302  404  404  200  200  200  200  200  403
invite                     post   401  404  404  422  403  403  403  403  403
add_model                  post   401  404  404  422  403  403  403  403  403
change_role                post   401  404  404  422  403  403  403  403  403
end_membership             post   401  404  404  302  403  403  403  403  403
rejoin                     post   401  404  404  302  403  403  403  403  403
make_model_token           post   401  404  404  403  403  403  403  403  403
revoke_invitation          post   401  404  404  302  403  403  403  403  403
guideline                  get    302  404  404  200  200  200  200  200  403
edit_guideline             get    302  404  404  200  200  403  403  403  403
edit_guideline             post   401  404  404  422  422  403  403  403  403
read_guideline             post   401  404  404  302  302  302  302  302  403
audit                      get    302  404  404  200  200  403  403  403  403
study_settings             get    302  404  404  200  200  403  403  403  403
study_settings             post   401  404  404  422  422  403  403  403  403
archive_study              post   401  404  404  302  302  403  403  403  403
unarchive_study            post   401  404  404  302  302  403  403  403  403
delete_study               post   401  404  404  422  403  403  403  403  403
keep_study                 post   401  404  404  302  302  403  403  403  403
accept_invitation          get    200  200  200  200  200  200  200  200  200
accept_invitation          post   422  302  302  409  409  409  409  409  409

taxonomies                 get    302  404  404  200  200  200  200  200  403
new_taxonomy               get    302  404  404  200  200  403  403  403  403
new_taxonomy               post   401  404  404  422  422  403  403  403  403
taxonomy                   get    302  404  404  200  200  200  200  200  403
taxonomy_csv               get    302  404  404  200  200  200  200  200  403
taxonomy_file              get    302  404  404  200  200  200  200  200  403
taxonomy_figure            get    302  404  404  200  200  200  200  200  403
taxonomy_figure_file       get    302  404  404  200  200  200  200  200  403
taxonomy_weights           get    302  404  404  200  200  200  200  200  403
taxonomy_weights           post   401  404  404  422  422  403  403  403  403
taxonomy_weights_csv       get    302  404  404  200  200  200  200  200  403
taxonomy_history           get    302  404  404  200  200  200  200  200  403
draft                      get    302  404  404  200  200  403  403  403  403
change_draft               post   401  404  404  404  404  403  403  403  403
undo_change                post   401  404  404  409  409  403  403  403  403
redo_change                post   401  404  404  409  409  403  403  403  403
publish_draft              post   401  404  404  409  409  403  403  403  403
delete_draft               post   401  404  404  409  409  403  403  403  403
draft_dry_run              get    302  404  404  200  200  403  403  403  403
proposals                  get    302  404  404  200  200  200  200  200  403
new_proposal               get    302  404  404  200  200  200  200  403  403
new_proposal               post   401  404  404  422  422  422  422  403  403
proposal_rule              post   401  404  404  302  302  403  403  403  403
draft_examples             get    302  404  404  404  404  403  403  403  403
take_as_example            post   401  404  404  404  404  403  403  403  403
put_to_vote                get    302  404  404  404  404  404  404  403  403
answer_name                post   401  404  404  404  404  403  403  403  403
join_name                  post   401  404  404  404  404  403  403  403  403
comment_on_proposal        post   401  404  404  422  422  422  422  403  403
see_proposal_comments      post   401  404  404  302  302  302  302  302  403
vote_on_proposal           post   401  404  404  422  422  422  422  403  403
withdraw_proposal          post   401  404  404  403  302  403  403  403  403

boards                     get    302  404  404  200  200  200  200  200  403
new_board                  get    302  404  404  200  200  403  403  403  403
new_board                  post   401  404  404  422  422  403  403  403  403
board                      get    302  404  404  200  200  200  200  200  403
board_piles                get    302  404  404  200  200  200  200  200  403
board_agreement            get    302  404  404  404  404  404  404  404  403
board_state                get    302  404  404  200  200  200  200  200  403
act_on_board               post   401  404  404  422  422  422  422  422  403
board_mapping              post   401  404  404  200  200  200  200  200  403

issues                     get    302  404  404  200  200  200  200  200  403
issue                      get    302  404  404  200  200  200  200  200  403
remove_issue               get    302  404  404  200  200  403  403  403  403
remove_issue               post   401  404  404  422  422  403  403  403  403
similar                    get    302  404  404  200  200  403  403  403  403
similar_group              get    302  404  404  200  200  403  403  403  403
mark_similar_group         post   401  404  404  409  409  403  403  403  403
mark_similar               post   401  404  404  422  422  403  403  403  403
find_similar               post   401  404  404  302  302  403  403  403  403
similar_csv                get    302  404  404  200  200  403  403  403  403
keywords                   get    302  404  404  200  200  200  200  200  403
new_keyword_list           get    302  404  404  200  200  403  403  403  403
new_keyword_list           post   401  404  404  422  422  403  403  403  403
import_keyword_lists       get    302  404  404  200  200  403  403  403  403
import_keyword_lists       post   401  404  404  422  422  403  403  403  403
keyword_list               get    302  404  404  200  200  200  200  200  403
edit_keyword_list          get    302  404  404  200  200  403  403  403  403
edit_keyword_list          post   401  404  404  422  422  403  403  403  403
rename_keyword_list        post   401  404  404  422  422  403  403  403  403
retire_keyword_list        post   401  404  404  302  302  403  403  403  403
bring_back_keyword_list    post   401  404  404  302  302  403  403  403  403
keyword_false_positives    get    302  404  404  200  200  200  200  200  403
keyword_terms_text         get    302  404  404  200  200  200  200  200  403
keyword_terms_csv          get    302  404  404  200  200  200  200  200  403
save_filter                post   401  404  404  422  422  403  403  403  403
delete_filter              post   401  404  404  302  302  403  403  403  403
imports                    get    302  404  404  200  200  403  403  403  403
new_import                 get    302  404  404  200  200  403  403  403  403
new_import                 post   401  404  404  422  422  403  403  403  403
import                     get    302  404  404  200  200  403  403  403  403
read_import_again          post   401  404  404  302  302  403  403  403  403
confirm_import             post   401  404  404  302  302  403  403  403  403
discard_import             post   401  404  404  302  302  403  403  403  403
take_back_import           get    302  404  404  200  200  403  403  403  403
take_back_import           post   401  404  404  409  409  403  403  403  403
import_rows                get    302  404  404  200  200  403  403  403  403
waiting_imports            get    302  404  404  200  200  403  403  403  403
confirm_imports            post   401  404  404  302  302  403  403  403  403
new_published_import       get    302  404  404  200  200  403  403  403  403
new_published_import       post   401  404  404  422  422  403  403  403  403
published_import           get    302  404  404  200  200  403  403  403  403
check_published_import     post   401  404  404  302  302  403  403  403  403
confirm_published_import   post   401  404  404  409  409  403  403  403  403
discard_published_import   post   401  404  404  302  302  403  403  403  403
harvests                   get    302  404  404  200  200  403  403  403  403
new_harvest                get    302  404  404  200  200  403  403  403  403
new_harvest                post   401  404  404  422  422  403  403  403  403
harvest                    get    302  404  404  200  200  403  403  403  403
start_harvest              post   401  404  404  302  302  403  403  403  403
pause_harvest              post   401  404  404  409  409  403  403  403  403
refresh_harvest            post   401  404  404  409  409  403  403  403  403
select_issues              post   401  404  404  409  409  403  403  403  403
harvest_terms              get    302  404  404  200  200  403  403  403  403
harvest_flow               get    302  404  404  404  404  403  403  403  403
harvest_numbers            get    302  404  404  200  200  403  403  403  403
compared_harvests          get    302  404  404  200  200  403  403  403  403
compared_harvests_csv      get    302  404  404  200  200  403  403  403  403
harvest_pages              get    302  404  404  200  200  403  403  403  403
harvest_pages_csv          get    302  404  404  200  200  403  403  403  403
harvested_issues           get    302  404  404  200  200  403  403  403  403
keep_issues                post   401  404  404  409  409  403  403  403  403
take_back_issues           post   401  404  404  409  409  403  403  403  403
resolve_listed             post   401  404  404  302  302  403  403  403  403
forge_tokens               get    302  404  404  200  200  403  403  403  403
add_token                  post   401  404  404  422  422  403  403  403  403
remove_token               post   401  404  404  302  302  403  403  403  403

interviews                 get    302  404  404  200  200  200  200  200  403
new_interview              get    302  404  404  200  200  403  403  403  403
new_interview              post   401  404  404  422  422  403  403  403  403
new_transcript             get    302  404  404  200  200  403  403  403  403
new_transcript             post   401  404  404  422  422  403  403  403  403
pseudonymise               get    302  404  404  302  302  403  403  403  403
pseudonymise               post   401  404  404  302  302  403  403  403  403
correct_transcript         get    302  404  404  200  200  403  403  403  403
correct_transcript         post   401  404  404  422  422  403  403  403  403
guides                     get    302  404  404  200  200  200  200  403  403
new_guide                  get    302  404  404  200  200  403  403  403  403
new_guide                  post   401  404  404  422  422  403  403  403  403
guide                      get    302  404  404  200  200  200  200  403  403
guide_md                   get    302  404  404  200  200  200  200  403  403
print_guide                get    302  404  404  200  200  200  200  403  403
interview                  get    302  404  404  200  200  200  403  403  403
codings                    get    302  404  404  200  200  200  200  200  403
codings_agreement          get    302  404  404  200  200  200  200  200  403
codings_agreement_csv      get    302  404  404  200  200  200  200  200  403
coverage                   get    302  404  404  200  200  200  200  200  403
saturation_file            get    302  404  404  404  404  404  404  404  403
coding_agreement           get    302  404  404  403  403  403  403  403  403
coding_agreement_csv       get    302  404  404  403  403  403  403  403  403
open_codes                 get    302  404  404  200  200  200  200  200  403
propose_open_code          post   401  404  404  422  422  422  422  403  403
interview_codebook         get    302  404  404  200  200  403  403  403  403
codebook_csv               get    302  404  404  200  200  403  403  403  403
qda_project                get    302  404  404  200  200  403  403  403  403
import_codebook            get    302  404  404  200  200  403  403  403  403
import_codebook            post   401  404  404  422  422  403  403  403  403
imported_codebook          get    302  404  404  200  200  403  403  403  403
imported_codebook_csv      get    302  404  404  200  200  403  403  403  403
remove_imported_codebook   post   401  404  404  302  302  403  403  403  403
new_coding                 get    302  404  404  302  302  403  403  403  403
new_coding                 post   401  404  404  302  302  403  403  403  403
code_interview             get    302  404  404  200  200  200  403  403  403
coders                     get    302  404  404  200  200  403  403  403  403
coders                     post   401  404  404  422  422  403  403  403  403
code_quote                 post   401  404  404  403  403  422  403  403  403
end_coding                 post   401  404  404  403  403  302  403  403  403
reconcile                  get    302  404  404  403  403  403  403  403  403
settle_item                post   401  404  404  403  403  403  403  403  403
place_quote                post   401  404  404  403  403  403  403  403  403
undo_item                  post   401  404  404  403  403  403  403  403  403
settle_coding              post   401  404  404  403  403  403  403  403  403
reopen_coding              post   401  404  404  403  403  403  403  403  403
standards                  get    302  404  404  200  200  200  200  200  403
standards_method           get    302  404  404  200  200  200  200  200  403
standards_file             get    302  404  404  200  200  200  200  200  403
checklist_file             get    302  404  404  200  200  200  200  200  403
answer_standard_item       post   401  404  404  422  422  403  403  403  403
undo_standard_item         post   401  404  404  302  302  403  403  403  403
citation                   get    302  404  404  200  200  200  200  200  403
citation                   post   401  404  404  422  422  403  403  403  403
my_background              get    302  404  404  200  200  200  200  403  403
my_background              post   401  404  404  422  422  422  422  403  403
remove_background          post   401  404  404  302  302  302  302  403  403
protocol                   get    302  404  404  200  200  200  200  200  403
deviations                 get    302  404  404  200  200  200  200  200  403
deviations_csv             get    302  404  404  200  200  200  200  200  403
explain_deviation          post   401  404  404  422  422  403  403  403  403
protocol_version           get    302  404  404  200  200  200  200  200  403
protocol_file              get    302  404  404  200  200  200  200  200  403
start_protocol             post   401  404  404  409  409  403  403  403  403
protocol_draft             get    302  404  404  200  200  403  403  403  403
protocol_draft             post   401  404  404  302  302  403  403  403  403
undo_protocol              post   401  404  404  302  302  403  403  403  403
discard_protocol           post   401  404  404  302  302  403  403  403  403
freeze_protocol            get    302  404  404  200  200  403  403  403  403
freeze_protocol            post   401  404  404  422  422  403  403  403  403
findings                   get    302  404  404  200  200  200  200  200  403
new_finding                get    302  404  404  200  200  403  403  403  403
new_finding                post   401  404  404  422  422  403  403  403  403
finding_chain              get    302  404  404  200  200  200  200  200  403
findings_file              get    302  404  404  200  200  200  200  200  403
finding                    get    302  404  404  200  200  200  200  200  403
edit_finding               get    302  404  404  200  200  403  403  403  403
edit_finding               post   401  404  404  422  422  403  403  403  403
move_finding               post   401  404  404  404  404  403  403  403  403
delete_finding             post   401  404  404  409  409  403  403  403  403
restore_finding            post   401  404  404  302  302  403  403  403  403
freeze_finding             post   401  404  404  302  302  403  403  403  403
attach_evidence            get    302  404  404  409  409  403  403  403  403
attach_evidence            post   401  404  404  409  409  403  403  403  403
remove_evidence            post   401  404  404  409  409  403  403  403  403
confirm_evidence           post   401  404  404  409  409  403  403  403  403
edit_interview             get    302  404  404  200  200  403  403  403  403
edit_interview             post   401  404  404  422  422  403  403  403  403
participants               get    302  404  404  200  200  403  403  403  403
new_participant            get    302  404  404  200  200  403  403  403  403
new_participant            post   401  404  404  422  422  403  403  403  403
import_participants        get    302  404  404  200  200  403  403  403  403
import_participants        post   401  404  404  422  422  403  403  403  403
audiences                  get    302  404  404  200  200  403  403  403  403
audiences                  post   401  404  404  422  422  403  403  403  403
edit_audience              get    302  404  404  200  200  403  403  403  403
edit_audience              post   401  404  404  422  422  403  403  403  403
rankings                   get    302  404  404  200  200  200  200  200  403
rankings_csv               get    302  404  404  200  200  200  200  200  403
ranks_file                 get    302  404  404  404  404  404  404  404  403
rank                       get    302  404  404  200  200  403  403  403  403
rank                       post   401  404  404  404  404  403  403  403  403
consents                   get    302  404  404  200  200  403  403  403  403
consents                   post   401  404  404  422  422  403  403  403  403
interviewers               get    302  404  404  200  200  403  403  403  403
interviewers               post   401  404  404  422  422  403  403  403  403
participant                get    302  404  404  200  200  403  403  403  403
edit_participant           get    302  404  404  200  200  403  403  403  403
edit_participant           post   401  404  404  422  422  403  403  403  403
identity                   get    302  404  404  200  200  403  403  403  403
show_identity              post   401  404  404  200  200  403  403  403  403
name_identity              post   401  404  404  302  302  403  403  403  403
erase_participant          get    302  404  404  200  200  403  403  403  403
erase_participant          post   401  404  404  422  422  403  403  403  403
new_consent                post   401  404  404  422  422  403  403  403  403
end_consent                post   401  404  404  422  422  403  403  403  403

rounds                     get    302  404  404  200  200  200  200  200  403
new_round                  get    302  404  404  200  200  403  403  403  403
new_round                  post   401  404  404  422  422  403  403  403  403
round                      get    302  404  404  200  200  200  200  200  403
open_round                 post   401  404  404  409  409  403  403  403  403
close_round                get    302  404  404  200  200  403  403  403  403
close_round                post   401  404  404  302  302  403  403  403  403
edit_plan                  get    302  404  404  302  302  403  403  403  403
edit_plan                  post   401  404  404  302  302  403  403  403  403
take_back_opening          post   401  404  404  409  409  403  403  403  403
delete_round               get    302  404  404  200  200  403  403  403  403
delete_round               post   401  404  404  409  409  403  403  403  403
incomplete_issues          get    302  404  404  200  200  200  200  200  403
incomplete_csv             get    302  404  404  404  404  404  404  404  403
round_volunteers           get    302  404  404  200  200  403  403  403  403
add_volunteer              get    302  404  404  422  422  403  403  403  403
add_volunteer              post   401  404  404  422  422  403  403  403  403
remove_volunteer           get    302  404  404  200  200  403  403  403  403
remove_volunteer           post   401  404  404  302  302  403  403  403  403
raise_labels               get    302  404  404  422  422  403  403  403  403
raise_labels               post   401  404  404  422  422  403  403  403  403
set_quota                  post   401  404  404  409  409  403  403  403  403
admit                      post   401  404  404  422  422  403  403  403  403
set_deadline               post   401  404  404  302  302  403  403  403  403
samples                    get    302  404  404  200  200  200  200  200  403
use_found_issues           post   401  404  404  422  422  403  403  403  403
new_sample                 get    302  404  404  200  200  403  403  403  403
new_sample                 post   401  404  404  422  422  403  403  403  403
sample                     get    302  404  404  200  200  200  200  200  403
sample_csv                 get    302  404  404  200  200  200  200  200  403
pilot                      get    302  404  404  200  200  403  403  403  403
pilot_training             get    302  404  404  200  200  403  403  403  403
pilot_training             post   401  404  404  422  422  403  403  403  403
frozen_reports             get    302  404  404  200  200  200  200  200  403
frozen_reports             post   401  404  404  422  422  403  403  403  403
frozen_report              get    302  404  404  200  200  200  200  200  403
frozen_json                get    302  404  404  200  409  409  200  200  403
label                      get    302  404  404  403  200  200  403  403  403
next_issue                 post   401  404  404  403  302  302  403  403  403
ahead                      post   401  404  404  403  200  200  403  403  403
submit_label               post   401  404  404  403  404  404  403  403  403
change_label               post   401  404  404  403  404  404  403  403  403
save_draft                 post   401  404  404  403  404  404  403  403  403
skip_issue                 post   401  404  404  403  404  404  403  403  403
take_back_skip             post   401  404  404  403  404  404  403  403  403
own_labels                 get    302  404  404  403  200  200  403  403  403
answers                    get    302  404  404  404  404  403  403  403  403
set_answer                 post   401  404  404  404  404  403  403  403  403
remove_answer              post   401  404  404  404  404  403  403  403  403
comment                    post   401  404  404  403  409  409  403  403  403
training                   get    302  404  404  200  200  200  200  200  403
disagreements              get    302  404  404  200  200  200  200  200  403
consensus                  get    302  404  404  200  200  200  200  200  403
set_digest                 post   401  404  404  302  302  302  302  302  403
alike                      get    302  404  404  200  200  200  200  200  403
decide_alike               post   401  404  404  422  422  403  403  403  403
settle_issue               post   401  404  404  422  404  404  403  403  403
reopen_issue               get    302  404  404  302  404  403  403  403  403
reopen_issue               post   401  404  404  422  404  403  403  403  403
save_disagreement_filter   post   401  404  404  422  422  403  403  403  403
remove_disagreement_filter post   401  404  404  302  302  403  403  403  403
put_on_agenda              post   401  404  404  422  422  403  403  403  403
assign_pair                get    302  404  404  200  200  403  403  403  403
assign_pair                post   401  404  404  422  422  403  403  403  403
disagreements_matrix       get    302  404  404  200  200  200  200  200  403
decide_majority            get    302  404  404  200  200  403  403  403  403
decide_majority            post   401  404  404  422  422  403  403  403  403
take_back_bulk             post   401  404  404  302  302  403  403  403  403
final_labels               get    302  404  404  200  200  200  200  200  403
final_labels_csv           get    302  404  404  200  200  200  200  200  403
comment_on_issue           post   401  404  404  409  404  404  409  403  403
see_mentions               post   401  404  404  302  404  404  302  302  403
screening                  get    302  404  404  200  200  200  200  200  403
screening_csv              get    302  404  404  200  200  200  200  200  403
screening_flow             get    302  404  404  200  200  200  200  200  403
screen_issue               post   401  404  404  422  404  403  403  403  403
study_meetings             get    302  404  404  200  200  200  200  200  403
forecast                   get    302  404  404  200  200  200  200  200  403
study_report               get    302  404  404  200  200  200  200  200  403
meetings                   get    302  404  404  200  200  200  200  200  403
new_meeting                get    302  404  404  200  200  403  403  403  403
new_meeting                post   401  404  404  422  422  403  403  403  403
change_meeting             get    302  404  404  200  200  403  403  403  403
change_meeting             post   401  404  404  422  422  403  403  403  403
meeting                    get    302  404  404  200  200  200  200  200  403
here                       get    302  404  404  302  302  302  302  302  403
here                       post   401  404  404  302  302  302  302  302  403
away                       post   401  404  404  204  204  204  204  403  403
open_meeting               post   401  404  404  302  302  403  403  403  403
close_meeting              post   401  404  404  409  409  403  403  403  403
take_chair                 post   401  404  404  302  302  403  403  403  403
turn                       post   401  404  404  422  403  403  403  403  403
decide_alike_here          post   401  404  404  422  403  403  403  403  403
close_votes                post   401  404  404  403  403  403  403  403  403
open_vote                  post   401  404  404  302  404  404  403  403  403
cast_ballot                post   401  404  404  422  404  404  422  403  403
close_vote                 post   401  404  404  422  404  404  403  403  403
decide_item                post   401  404  404  422  404  404  403  403  403
park                       post   401  404  404  409  404  404  403  403  403
come_back                  post   401  404  404  302  404  404  403  403  403
reopen_item                post   401  404  404  422  404  404  403  403  403
comment_on_item            post   401  404  404  422  404  404  422  403  403
take_off_agenda            post   401  404  404  409  404  404  403  403  403
follow_up                  post   401  404  404  422  404  404  403  403  403
minutes                    get    302  404  404  200  200  200  200  200  403
minutes_md                 get    302  404  404  200  200  200  200  200  403
minutes_pdf                get    302  404  404  200  200  200  200  200  403
follow_ups                 get    302  404  404  200  200  200  200  200  403
mark_follow_up             post   401  404  404  302  404  403  403  403  403
agreement                  get    302  404  404  200  200  200  200  200  403
agreement_picture          get    302  404  404  200  409  409  200  200  403
make_agreement_file        post   401  404  404  404  404  404  404  404  403
agreement_file             get    302  404  404  404  200  404  404  404  403
send_agreement_file        get    302  404  404  404  410  404  404  404  403
export                     get    302  404  404  200  200  200  200  200  403
integrity                  get    302  404  404  200  200  403  403  403  403
download_export            post   401  404  404  404  404  404  404  404  403
make_package               post   401  404  404  302  302  302  302  302  403
package                    get    302  404  404  200  200  404  404  404  403
send_package               post   401  404  404  410  410  404  404  404  403

api_schema                 get    200  200  200  200  200  200  200  200  200
api_studies                get    401  200  200  200  200  200  200  200  200
api_study                  get    401  404  404  200  200  200  200  200  200
api_members                get    401  404  404  200  200  200  200  200  403
api_guideline              get    401  404  404  200  200  200  200  200  403
api_guideline_versions     get    401  404  404  200  200  200  200  200  403
api_taxonomies             get    401  404  404  200  200  200  200  200  200
api_categories             get    401  404  404  200  200  200  200  200  200
api_codebook               get    401  404  404  200  200  200  200  200  200
api_taxonomy_figure        get    401  404  404  200  200  200  200  200  200
api_taxonomy_weights       get    401  404  404  200  200  200  200  200  200
api_taxonomy_weights       put    401  404  404  400  400  403  403  403  403
api_taxonomy_weights       delete 401  404  404  204  204  403  403  403  403
api_draft                  get    401  404  404  200  200  403  403  403  403
api_draft_changes          post   401  404  404  400  400  403  403  403  403
api_draft_undo             post   401  404  404  409  409  403  403  403  403
api_draft_redo             post   401  404  404  409  409  403  403  403  403
api_draft_publish          post   401  404  404  400  400  403  403  403  403
api_proposals              get    401  404  404  200  200  200  200  200  403
api_proposals              post   401  404  404  400  400  400  400  403  403
api_missing_names          get    401  404  404  200  200  200  200  200  403
api_missing_names          post   401  404  404  400  400  403  403  403  403
api_proposal_comments      post   401  404  404  400  400  400  400  403  403
api_proposal_ballot        put    401  404  404  400  400  400  400  403  403
api_boards                 get    401  404  404  200  200  200  200  200  403
api_boards                 post   401  404  404  400  400  403  403  403  403
api_board_state            get    401  404  404  200  200  200  200  200  403
api_board_acts             post   401  404  404  422  422  422  422  422  403
api_board_agreement        get    401  404  404  409  409  409  409  409  403
api_board_mapping          get    401  404  404  200  200  200  200  200  403
api_issues                 get    401  404  404  200  200  200  200  200  200
api_similar                get    401  404  404  200  200  403  403  403  403
api_issue                  get    401  404  404  200  200  200  200  200  200
api_remove_issue           post   401  404  404  400  400  403  403  403  403
api_imports                get    401  404  404  200  200  403  403  403  403
api_take_back_import       get    401  404  404  200  200  403  403  403  403
api_take_back_import       post   401  404  404  409  409  403  403  403  403
api_keyword_lists          get    401  404  404  200  200  200  200  200  403
api_keyword_list           get    401  404  404  200  200  200  200  200  403
api_keyword_versions       get    401  404  404  200  200  200  200  200  403
api_keyword_version        get    401  404  404  200  200  200  200  200  403
api_rounds                 get    401  404  404  200  200  200  200  200  200
api_harvests               get    401  404  404  200  200  403  403  403  403
api_harvests               post   401  404  404  400  400  403  403  403  403
api_harvest                get    401  404  404  200  200  403  403  403  403
api_start_harvest          post   401  404  404  200  200  403  403  403  403
api_pause_harvest          post   401  404  404  409  409  403  403  403  403
api_refresh_harvest        post   401  404  404  409  409  403  403  403  403
api_compared_harvests      get    401  404  404  404  404  403  403  403  403
api_harvest_pages          get    401  404  404  200  200  403  403  403  403
api_interviews             get    401  404  404  200  200  200  200  200  403
api_interviews             post   401  404  404  400  400  403  403  403  403
api_guides                 get    401  404  404  200  200  200  200  403  403
api_guides                 post   401  404  404  400  400  403  403  403  403
api_guide                  get    401  404  404  200  200  200  200  403  403
api_rankings               get    401  404  404  200  200  200  200  200  403
api_rankings_csv           get    401  404  404  200  200  200  200  200  403
api_audiences              get    401  404  404  200  200  403  403  403  403
api_audiences              post   401  404  404  400  400  403  403  403  403
api_audience               put    401  404  404  400  400  403  403  403  403
api_participants           get    401  404  404  200  200  403  403  403  403
api_participants           post   401  404  404  400  400  403  403  403  403
api_import_participants    post   401  404  404  400  400  403  403  403  403
api_participant            get    401  404  404  200  200  403  403  403  403
api_participant            put    401  404  404  200  200  403  403  403  403
api_identity               post   401  404  404  200  200  403  403  403  403
api_identity               put    401  404  404  400  400  403  403  403  403
api_consents               get    401  404  404  200  200  403  403  403  403
api_consents               post   401  404  404  400  400  403  403  403  403
api_withdraw_consent       post   401  404  404  400  400  403  403  403  403
api_erase_participant      post   401  404  404  400  400  403  403  403  403
api_consent_texts          get    401  404  404  200  200  403  403  403  403
api_consent_texts          post   401  404  404  400  400  403  403  403  403
api_interviewers           get    401  404  404  200  200  403  403  403  403
api_interviewers           post   401  404  404  400  400  403  403  403  403
api_interview              get    401  404  404  200  200  200  403  403  403
api_interview              put    401  404  404  400  400  403  403  403  403
api_transcript             get    401  404  404  200  200  200  403  403  403
api_transcript             post   401  404  404  400  400  403  403  403  403
api_pseudonymise           post   401  404  404  409  409  403  403  403  403
api_corrections            post   401  404  404  400  400  403  403  403  403
api_interview_rankings     get    401  404  404  200  200  200  403  403  403
api_ranking                put    401  404  404  400  400  403  403  403  403
api_codings                get    401  404  404  200  200  200  200  200  403
api_codings_agreement      get    401  404  404  200  200  200  200  200  403
api_coverage               get    401  404  404  200  200  200  200  200  403
api_coding_agreement       get    401  404  404  403  403  403  403  403  403
api_coding_agreement_csv   get    401  404  404  403  403  403  403  403  403
api_codings_agreement_csv  get    401  404  404  200  200  200  200  200  403
api_open_codes             get    401  404  404  200  200  200  200  200  403
api_open_codes             post   401  404  404  400  400  400  400  400  403
api_interview_codebook     get    401  404  404  200  200  403  403  403  403
api_qda_project            get    401  404  404  200  200  403  403  403  403
api_imported_codebooks     get    401  404  404  200  200  403  403  403  403
api_imported_codebooks     post   401  404  404  400  400  403  403  403  403
api_new_coding             post   401  404  404  400  400  403  403  403  403
api_coding                 get    401  404  404  200  200  200  403  403  403
api_quotes                 put    401  404  404  400  400  400  403  403  403
api_quotes                 post   401  404  404  400  400  400  403  403  403
api_coding_done            post   401  404  404  403  403  200  403  403  403
api_items                  get    401  404  404  403  403  403  403  403  403
api_items                  post   401  404  404  403  403  403  403  403  403
api_undo_item              post   401  404  404  403  403  403  403  403  403
api_coders                 post   401  404  404  400  400  403  403  403  403
api_place_quote            post   401  404  404  403  403  403  403  403  403
api_settle_coding          post   401  404  404  403  403  403  403  403  403
api_reopen_coding          post   401  404  404  403  403  403  403  403  403
api_standards              get    401  404  404  200  200  200  200  200  403
api_standard               get    401  404  404  200  200  200  200  200  403
api_standard_text          get    401  404  404  200  200  200  200  200  403
api_standard_answer        put    401  404  404  400  400  403  403  403  403
api_protocols              get    401  404  404  200  200  200  200  200  403
api_protocol               get    401  404  404  200  200  200  200  200  403
api_protocol_draft         get    401  404  404  200  200  403  403  403  403
api_protocol_draft         post   401  404  404  409  409  403  403  403  403
api_protocol_draft         put    401  404  404  400  400  403  403  403  403
api_freeze_protocol        post   401  404  404  422  422  403  403  403  403
api_deviations             get    401  404  404  200  200  200  200  200  403
api_deviations             post   401  404  404  400  400  403  403  403  403
api_findings               get    401  404  404  200  200  200  200  200  403
api_findings               post   401  404  404  400  400  403  403  403  403
api_figures                get    401  404  404  400  400  403  403  403  403
api_finding                get    401  404  404  200  200  200  200  200  403
api_finding                put    401  404  404  400  400  403  403  403  403
api_finding                delete 401  404  404  409  409  403  403  403  403
api_move_finding           post   401  404  404  400  400  403  403  403  403
api_freeze_finding         post   401  404  404  200  200  403  403  403  403
api_restore_finding        post   401  404  404  200  200  403  403  403  403
api_attach_evidence        post   401  404  404  400  400  403  403  403  403
api_remove_evidence        post   401  404  404  409  409  403  403  403  403
api_confirm_evidence       post   401  404  404  409  409  403  403  403  403
api_samples                get    401  404  404  200  200  200  200  200  403
api_sample                 get    401  404  404  200  200  200  200  200  403
api_rounds                 post   401  404  404  400  400  403  403  403  403
api_open_round             post   401  404  404  409  409  403  403  403  403
api_close_round            post   401  404  404  200  200  403  403  403  403
api_round                  get    401  404  404  200  200  200  200  200  200
api_claim                  post   401  404  404  403  200  200  403  403  403
api_labels                 get    401  404  404  403  200  200  403  403  403
api_labels                 post   401  404  404  403  400  400  403  403  403
api_label                  put    401  404  404  403  400  400  403  403  403
api_round_issues           get    401  404  404  200  200  403  403  403  200
api_model_labels           get    401  404  404  403  403  403  403  403  200
api_model_labels           post   401  404  404  403  403  403  403  403  400
api_disagreements          get    401  404  404  200  200  200  200  200  403
api_screening              get    401  404  404  200  200  200  200  200  403
api_decisions              post   401  404  404  400  400  403  403  403  403
api_comments               get    401  404  404  200  404  404  200  200  403
api_comments               post   401  404  404  400  404  404  400  403  403
api_meetings               get    401  404  404  200  200  200  200  200  403
api_meetings               post   401  404  404  400  400  403  403  403  403
api_meeting                get    401  404  404  200  200  200  200  200  403
api_ballot                 put    401  404  404  400  404  404  400  403  403
api_item_decision          post   401  404  404  400  404  404  403  403  403
api_minutes                get    401  404  404  200  200  200  200  200  403
api_bulk                   get    401  404  404  200  200  200  200  200  403
api_bulk                   post   401  404  404  400  400  403  403  403  403
api_take_back_bulk         post   401  404  404  200  200  403  403  403  403
api_consensus              get    401  404  404  200  200  200  200  200  403
api_chain                  get    401  404  404  200  200  200  200  200  403
api_training               get    401  404  404  403  404  404  403  403  403
api_agreement              get    401  404  404  200  200  200  200  200  403
api_agreement_group        get    401  404  404  200  200  200  200  200  403
api_report_files           post   401  404  404  400  400  400  400  400  403
api_report_file            get    401  404  404  404  200  404  404  404  403
api_report_file_content    get    401  404  404  404  410  404  404  404  403
api_frozen_reports         get    401  404  404  200  200  200  200  200  403
api_frozen_reports         post   401  404  404  400  400  403  403  403  403
api_frozen_report          get    401  404  404  200  409  409  200  200  403
api_frozen_difference      get    401  404  404  200  409  409  200  200  403
api_labels_csv             get    401  404  404  200  200  200  200  200  403
api_packages               post   401  404  404  202  202  202  202  202  403
api_package                get    401  404  404  200  200  404  404  404  403
api_package_content        get    401  404  404  410  410  404  404  404  403
"""

CHANGES = re.compile("(INSERT|UPDATE|DELETE|COPY|TRUNCATE) ")
PAGES = {"text/html", "text/plain", "application/json", "application/vnd.oai.openapi"}
"""What pages, fragments, sentences and answers of REST are: no files."""
PART_OF_A_PAGE = {"agreement_picture"}
"""Addresses with the ending of a file whose answer a script of a page draws."""
OF_SESSIONS = re.compile("django_session|knox_authtoken|seen_at")

ROWS = {
    (name, method): tuple(map(int, answers))
    for name, method, *answers in (line.split() for line in TABLE.splitlines() if line and line[0] != "#")
}


def names(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern)
        else:
            yield pattern.name


@pytest.fixture
def world(settings, tmp_path) -> World:
    settings.DATA_DIR = tmp_path
    world = make_world()
    publish_guideline(study=world.study, text="Label the cause.", by=world.members["lead"].user)
    return world


def address(world: World, name: str) -> str:
    """The address of a route, with what it names taken from the world."""
    slug, round_id, issue_id, more = "engines", world.round.pk, world.issues[0].pk, world.more
    of_import = (
        "import",
        "read_import_again",
        "confirm_import",
        "discard_import",
        "import_rows",
        "take_back_import",
        "api_take_back_import",
    )
    of_upload = (
        "published_import",
        "check_published_import",
        "confirm_published_import",
        "discard_published_import",
    )
    of_harvest = (
        "harvest", "start_harvest", "pause_harvest", "refresh_harvest", "select_issues", "harvest_terms",
        "harvest_numbers", "harvest_pages", "keep_issues", "take_back_issues",
        "api_harvest", "api_start_harvest", "api_pause_harvest", "api_refresh_harvest", "api_harvest_pages", "harvest_pages_csv", "harvested_issues",
        "compared_harvests", "compared_harvests_csv", "api_compared_harvests",
    )  # fmt: skip
    of_member = ("change_role", "end_membership", "rejoin", "make_model_token")
    of_issue = (
        "comment_on_issue",
        "see_mentions",
        "settle_issue",
        "reopen_issue",
        "set_answer",
        "remove_answer",
        "comment",
        "api_label",
        "api_decisions",
        "api_comments",
    )
    of_finding = (
        "finding", "edit_finding", "move_finding", "delete_finding", "restore_finding", "freeze_finding",
        "confirm_evidence", "api_finding", "api_move_finding", "api_freeze_finding", "api_restore_finding",
        "api_attach_evidence", "api_confirm_evidence",
    )  # fmt: skip
    of_meeting = (
        "meeting", "here", "away", "open_meeting", "close_meeting", "take_chair", "turn", "decide_alike_here",
        "close_votes", "minutes", "minutes_md", "minutes_pdf", "change_meeting",
        "api_meeting", "api_minutes",
    )  # fmt: skip
    of_item = (
        "open_vote", "cast_ballot", "close_vote", "decide_item", "park", "come_back", "reopen_item",
        "comment_on_item", "take_off_agenda", "follow_up", "api_ballot", "api_item_decision",
    )  # fmt: skip
    of_taxonomy = (
        "taxonomy", "taxonomy_csv", "taxonomy_figure", "taxonomy_weights", "taxonomy_weights_csv", "taxonomy_history", "draft", "change_draft", "undo_change", "redo_change", "publish_draft", "delete_draft",
        "boards", "new_board", "draft_dry_run", "api_draft", "api_draft_changes", "api_draft_undo", "api_draft_redo", "api_draft_publish",
        "proposals", "new_proposal", "proposal_rule", "api_proposals", "put_to_vote", "answer_name", "join_name", "draft_examples", "take_as_example", "see_proposal_comments",
        "api_boards", "api_missing_names",
    )  # fmt: skip
    given: dict[str, tuple] = {
        "revoke_token": ("nosuch",),
        "account_reset_password_from_key": ("1", "nosuch"),
        "sign_in_link": (more.link,),
        "confirm_address": (more.new_address,),
        "accept_invitation": (more.token,),
        "revoke_invitation": (slug, more.invitation.pk),
        "delete_filter": (slug, more.saved.pk),
        **dict.fromkeys(
            (
                "keyword_list",
                "edit_keyword_list",
                "keyword_false_positives",
                "api_keyword_list",
                "api_keyword_versions",
                "rename_keyword_list",
                "retire_keyword_list",
                "bring_back_keyword_list",
            ),
            (slug, more.keyword_list.pk),
        ),
        **dict.fromkeys(
            ("keyword_terms_text", "keyword_terms_csv", "api_keyword_version"),
            (slug, more.keyword_list.pk, 1),
        ),
        "taxonomy_file": (world.version.taxonomy_id, "md"),
        "taxonomy_figure_file": (world.version.taxonomy_id, "svg"),
        **dict.fromkeys(of_taxonomy, (world.version.taxonomy_id,)),
        **dict.fromkeys(
            (
                "vote_on_proposal",
                "withdraw_proposal",
                "comment_on_proposal",
                "api_proposal_ballot",
                "api_proposal_comments",
            ),
            (world.version.taxonomy_id, more.motion.number),
        ),
        **dict.fromkeys(
            (
                "board",
                "board_piles",
                "board_agreement",
                "board_state",
                "act_on_board",
                "board_mapping",
                "api_board_state",
                "api_board_acts",
                "api_board_mapping",
                "api_board_agreement",
            ),
            (more.board.pk,),
        ),
        "api_categories": (world.version.taxonomy_id, 1),
        "api_taxonomy_weights": (world.version.taxonomy_id, 1),
        "api_codebook": (world.version.taxonomy_id, 1, "jsonld"),
        "api_taxonomy_figure": (world.version.taxonomy_id, 1, "svg"),
        "remove_disagreement_filter": (round_id, more.kept.pk),
        "take_back_bulk": (round_id, more.bulk.pk),
        "api_take_back_bulk": (round_id, more.bulk.pk),
        "screen_issue": (more.screening.pk, world.issues[5].pk),
        "mark_follow_up": (slug, more.follow_up.pk),
        **dict.fromkeys(of_meeting, (more.meeting.pk,)),
        **dict.fromkeys(of_item, (more.meeting.pk, more.item.pk)),
        **dict.fromkeys(("job", "cancel_job"), (more.job.pk,)),
        **dict.fromkeys(of_import, (slug, more.run.pk)),
        **dict.fromkeys(of_upload, (slug, more.published.pk)),
        **dict.fromkeys(of_harvest, (slug, more.harvest.pk)),
        "harvest_flow": (slug, more.harvest.pk, "svg"),
        "remove_token": (slug, more.forge_token.pk),
        **dict.fromkeys(of_member, (slug, world.members["other volunteer"].pk)),
        **dict.fromkeys(
            ("frozen_report", "frozen_json", "api_frozen_report", "api_frozen_difference"),
            (round_id, more.frozen.pk),
        ),
        "disagreements_matrix": (round_id, "csv"),
        **dict.fromkeys(("protocol_version", "api_protocol"), (slug, 1)),
        "protocol_file": (slug, 1, "md"),
        "findings_file": (slug, "csv"),
        **dict.fromkeys(("standards_file", "api_standard_text"), (slug, "method.md")),
        "checklist_file": (slug, "reviewers", "md"),
        "api_standard": (slug, "reviewers"),
        **dict.fromkeys(
            ("answer_standard_item", "undo_standard_item", "api_standard_answer"), (slug, "reviewers", "R11")
        ),
        "attach_evidence": (more.finding.pk, "quote"),
        **dict.fromkeys(("remove_evidence", "api_remove_evidence"), (more.finding.pk, 1)),
        **dict.fromkeys(of_finding, (more.finding.pk,)),
        "agreement_picture": (round_id, "coefficients", "json"),
        **dict.fromkeys(
            ("agreement_file", "send_agreement_file", "api_report_file", "api_report_file_content"),
            (round_id, more.report.pk),
        ),
        **dict.fromkeys(
            ("package", "send_package", "api_package", "api_package_content"), (round_id, more.package.pk)
        ),
        **dict.fromkeys(("sample", "sample_csv", "api_sample"), (slug, more.sample.pk)),
        **dict.fromkeys(("pilot", "pilot_training"), (more.pilot.pk,)),
        **dict.fromkeys(
            ("issue", "api_issue", "remove_issue", "api_remove_issue", "similar_group", "mark_similar_group"),
            (slug, issue_id),
        ),
        **dict.fromkeys(of_issue, (round_id, issue_id)),
        **dict.fromkeys(
            ("remove_volunteer", "set_quota", "admit"), (round_id, world.members["volunteer"].pk)
        ),
    }
    if name == "api_labels_csv":
        return f"{reverse(name, args=[slug])}?round=Main%20round"
    if name == "final_labels_csv":
        return f"{reverse(name, args=[round_id])}?since=2024-01-01T00:00:00"
    if name not in given and "screening" in name:
        return reverse(name, args=[more.screening.pk])
    if name in given:
        return reverse(name, args=given[name])
    if asked := of_interviews(world, name):
        return reverse(name, args=asked)
    for arguments in ([], [slug], [round_id]):
        try:
            return reverse(name, args=arguments)
        except Exception:  # noqa: BLE001, S112
            continue
    raise AssertionError(f"no address for {name}: say above what it names")


def is_file(response: HttpResponse, address: str) -> bool:
    """Does a browser get a file here? By what it is, or by the end of its address."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    last = address.partition("?")[0].rpartition("/")[2]
    return bool(kind) and (kind not in PAGES or "." in last)


def answer(world: World, name: str, method: str, role: str) -> int:
    """The status that a role gets; what the request changed is rolled back. Who is refused changes nothing."""
    client = world.api(role) if name.startswith("api_") else world.client(role)
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        response = getattr(client, method)(address(world, name))
        if response.streaming:
            b"".join(response)
        transaction.set_rollback(True)
    if response.status_code == 200 and is_file(response, address(world, name)) and name not in PART_OF_A_PAGE:
        disposition = response.headers.get("Content-Disposition", "")
        assert disposition.startswith("attachment; filename"), f"{name} is a file without a name"
    if response.status_code in {401, 403, 404, 405}:
        written = [query["sql"] for query in asked if CHANGES.match(query["sql"])]
        assert [sql for sql in written if not OF_SESSIONS.search(sql)] == [], (name, method, role)
    return response.status_code


def test_every_route_has_a_row_and_every_row_a_route():
    assert {name for name, _method in ROWS} == set(names(get_resolver()))


# `make test` runs the first of them.
@pytest.mark.parametrize("role", ["volunteer", *(role for role in ROLES if role != "volunteer")])
def test_every_role_gets_the_answers_of_the_table(world, role):
    place = ROLES.index(role)
    found = {(name, method): answer(world, name, method, role) for name, method in ROWS}

    assert found == {row: answers[place] for row, answers in ROWS.items()}


def test_what_changes_something_is_not_to_be_had_by_get(world):
    only_posted = {name for name, method in ROWS if method != "get"} - {
        name for name, method in ROWS if method == "get"
    }
    before = (Membership.objects.count(), Round.objects.get(pk=world.round.pk).closed_at)

    assert {name: answer(world, name, "get", "owner") for name in only_posted} == dict.fromkeys(
        only_posted, 405
    )
    assert (Membership.objects.count(), Round.objects.get(pk=world.round.pk).closed_at) == before
