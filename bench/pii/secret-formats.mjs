/**
 * Published formats of keys and tokens, as `rule format`, with the identifiers of the rules of gitleaks. `{A20}` are 20 letters
 * and digits, `L` in lower case, `U` in upper case, `H` hexadecimal, `D` digits, `B` base32, `a` letters.
 */
export const SECRET_FORMATS = `
adafruit-api-key {L32}
adobe-client-id {H32}
adobe-client-secret p8e-{A32}
age-secret-key AGE-SECRET-KEY-1{U58}
airtable-api-key {L17}
airtable-pat pat{A14}.{H64}
algolia-api-key {L32}
alibaba-access-key-id LTAI{L20}
alibaba-secret-key {L30}
anthropic-api-key sk-ant-api03-{A93}AA
anthropic-admin sk-ant-admin01-{A93}AA
artifactory-api-key AKCp{A69}
artifactory-ref cmVmd{A59}
asana-client-id {D16}
asana-client-secret {L32}
atlassian {L24}
atlassian-3 ATATT3{A186}
authress sc_{L8}.{L5}.acc_{L12}.{A40}
aws-access-token AKIA{B16}
aws-bedrock ABSK{A115}
azure-ad-client-secret {A3}8Q~{A34}
beamer b_{L44}
bitbucket-client-id {L32}
bitbucket-client-secret {L64}
bittrex {L32}
cisco-meraki {H40}
clickhouse 4b1d{A38}
clojars CLOJARS_{L60}
cloudflare-api-key {L40}
cloudflare-global {H37}
cloudflare-origin-ca v1.0-{H24}-{H146}
codecov {L32}
cohere {A40}
coinbase {L64}
confluent-access {L16}
confluent-secret {L64}
contentful {A43}
databricks dapi{H32}
datadog {L40}
defined dnkey-{L26}-{L52}
do-access doo_v1_{H64}
do-pat dop_v1_{H64}
do-refresh dor_v1_{H64}
discord-token {H64}
discord-client-id {D18}
discord-secret {A32}
doppler dp.pt.{A43}
droneci {L32}
dropbox {L15}
dropbox-long {L11}AAAAAAAAAA{A43}
dropbox-short sl.{A135}
duffel duffel_test_{A43}
dynatrace dt0c01.{U24}.{U64}
easypost EZAK{A54}
easypost-test EZTK{A54}
etsy {L24}
facebook-secret {H32}
facebook-access {D16}|{A27}
facebook-page EAAC{A120}
fastly {A32}
finicity {H32}
finicity-secret {L20}
finnhub {L20}
flickr {L32}
flutterwave-enc FLWSECK_TEST-{H12}
flutterwave-pub FLWPUBK_TEST-{H32}-X
flyio fo1_{A43}
frameio fio-u-{A64}
freemius sk_{A29}
freshbooks {L64}
gcp-api-key AIza{A35}
github-app ghu_{A36}
github-fg github_pat_{A82}
github-oauth gho_{A36}
github-pat ghp_{A36}
github-refresh ghr_{A36}
gitlab-cicd glcbt-{L5}_{A20}
gitlab-deploy gldt-{A20}
gitlab-ff glffct-{A20}
gitlab-feed glft-{A20}
gitlab-mail glimt-{A25}
gitlab-k8s glagent-{A50}
gitlab-oauth gloas-{A64}
gitlab-pat glpat-{A20}
gitlab-ptt glptt-{H40}
gitlab-rrt GR1348941{A20}
gitlab-runner glrt-{A20}
gitlab-scim glsoat-{A20}
gitlab-session _gitlab_session={H32}
gitter {A40}
gocardless live_{A40}
grafana-api eyJrIjoi{A80}
grafana-cloud glc_{A40}
grafana-sa glsa_{A32}_{H8}
harness pat.{A22}.{H24}.{A20}
hashicorp-tf {L14}.atlasv1.{A64}
heroku {H8}-{H4}-{H4}-{H4}-{H12}
heroku-v2 HRKU-AA{A58}
hubspot {H8}-{H4}-{H4}-{H4}-{H12}
hf hf_{a34}
hf-org api_org_{a34}
infracost ico-{A32}
intercom {A60}
intra42 s-s4t2ud-{H64}
jfrog {L73}
jfrog-id {L64}
jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{A20}.{A43}
jwt-b64 ZXlK{A120}
kraken {A84}
kucoin-access {H24}
kucoin-secret {H8}-{H4}-{H4}-{H4}-{H12}
launchdarkly {A40}
linear lin_api_{L40}
linear-secret {H32}
linkedin-id {L14}
linkedin-secret {L16}
lob live_{H35}
lob-pub test_pub_{H31}
looker-id {L20}
looker-secret {L24}
mailchimp {H32}-us20
mailgun-private key-{H32}
mailgun-pub pubkey-{H32}
mailgun-sign {H32}-{H8}-{H8}
mapbox pk.{L60}.{L22}
mattermost {L26}
maxmind {A6}_{A29}_mmk
messagebird {L25}
messagebird-id {H8}-{H4}-{H4}-{H4}-{H12}
teams https://mycompany.webhook.office.com/webhookb2/{H8}-{H4}-{H4}-{H4}-{H12}@{H8}-{H4}-{H4}-{H4}-{H12}/IncomingWebhook/{H32}/{H8}-{H4}-{H4}-{H4}-{H12}
netlify {A43}
nr-browser NRJS-{H19}
nr-insert NRII-{L32}
nr-user NRAK-{U27}
nr-user-id {L64}
notion ntn_{D11}{A35}
npm npm_{A36}
nuget {A20}
nytimes {A32}
octopus API-{U26}
okta 00{A40}
openai sk-proj-{A74}T3BlbkFJ{A74}
openai-old sk-{A20}T3BlbkFJ{A20}
openshift sha256~{A43}
perplexity pplx-{A48}
plaid-token access-sandbox-{H8}-{H4}-{H4}-{H4}-{H12}
plaid-id {L24}
plaid-secret {L30}
planetscale pscale_tkn_{A43}
planetscale-pw pscale_pw_{A43}
planetscale-oauth pscale_oauth_{A43}
postman PMAK-{H24}-{H34}
prefect pnu_{L36}
privateai {L32}
pulumi pul-{H40}
pypi pypi-AgEIcHlwaS5vcmc{A70}
rapidapi {A50}
readme rdme_{L70}
rubygems rubygems_{H48}
scalingo tk-us-{A48}
sendbird {H40}
sendbird-id {H8}-{H4}-{H4}-{H4}-{H12}
sendgrid SG.{A66}
brevo xkeysib-{H64}-{L16}
sentry-access {H64}
sentry-org sntrys_eyJpYXQiO{A120}_{A43}
sentry-user sntryu_{H64}
settlemint sm_pat_{A16}
shippo shippo_live_{H40}
shopify-at shpat_{H32}
shopify-ca shpca_{H32}
shopify-ss shpss_{H32}
sidekiq {H8}:{H8}
slack-app xapp-1-A{U10}-{D12}-{L60}
slack-bot xoxb-{D12}-{D12}-{A24}
slack-user xoxp-{D12}-{D12}-{D12}-{H32}
slack-webhook https://hooks.slack.com/services/T{U8}/B{U8}/{A24}
snyk {H8}-{H4}-{H4}-{H4}-{H12}
sonar sqp_{H40}
sourcegraph sgp_{H16}_{H40}
square EAAA{A60}
square-2 sq0atp-{A22}
squarespace {H8}-{H4}-{H4}-{H4}-{H12}
stripe sk_live_{A24}
sumologic-id su{A12}
sumologic {L64}
telegram {D10}:A{A34}
travis {L22}
twilio SK{H32}
twitch {L30}
twitter-secret {L50}
twitter-key {L25}
twitter-at {D18}-{A40}
twitter-bearer AAAAAAAAAAAAAAAAAAAAAA{A90}
typeform tfp_{A59}
vault-batch hvb.{A140}
vault-service hvs.{A95}
yandex-aws YC{A38}
yandex-api AQVN{A37}
yandex-at t1.{A40}.{A86}
zendesk {L40}
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHABETS = {
  A: LOWER + LOWER.toUpperCase() + DIGITS,
  L: LOWER + DIGITS,
  U: LOWER.toUpperCase() + DIGITS,
  H: `${DIGITS}abcdef`,
  D: DIGITS,
  B: `${LOWER.toUpperCase()}234567`,
  a: LOWER,
};

/** Returns a secret of a format. `random` returns numbers from 0 to 1. */
export function secretOf(format, random) {
  return format.replace(/\{([A-Za-z])(\d+)\}/g, (_all, kind, count) =>
    Array.from({ length: Number(count) }, () => ALPHABETS[kind][Math.floor(random() * ALPHABETS[kind].length)]).join(
      '',
    ),
  );
}
