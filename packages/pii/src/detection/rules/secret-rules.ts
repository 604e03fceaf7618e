/** A secret with the prefix of its issuer. */
export interface SecretRule {
  readonly name: string;
  /** Literal text of every such secret. The pattern is tried only at this text. */
  readonly keyword: string;
  /** Sticky, bounded, without nested repetition. Group 1, if there is one, is the secret. */
  readonly pattern: RegExp;
  /** The characters of the secret before its keyword. */
  readonly before?: number;
  /** Checks the secret further. */
  readonly valid?: (secret: string) => boolean;
}

const END = '(?![A-Za-z0-9_-])';
const UUID = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}';
const WORD = '[A-Za-z0-9_-]';
const ALNUM = '[A-Za-z0-9]';

function prefixed(name: string, keyword: string, rest: string): SecretRule {
  const literal = keyword.replace(/[.$~]/g, '\\$&');
  return { name, keyword, pattern: new RegExp(`(?<![A-Za-z0-9_-])${literal}${rest}${END}`, 'y') };
}

/** Returns rules for issuers with the same form after their prefixes: `name prefix prefix …`. */
function issuers(rest: string, ...lines: readonly string[]): SecretRule[] {
  return lines.flatMap((line) => {
    const [name = '', ...keywords] = line.split(' ');
    return keywords.map((keyword) => prefixed(name, keyword, rest));
  });
}

/** Returns a rule for a secret with its keyword behind `before` characters of one kind. */
function infixed(name: string, keyword: string, before: number, kind: string, rest: string): SecretRule {
  const pattern = new RegExp(`(?<=(?<![A-Za-z0-9_~-])${kind}{${before}})${keyword}${rest}(?![A-Za-z0-9_~-])`, 'y');
  return { name, keyword, pattern, before };
}

/** Formats that issuers publish. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((keyword) => prefixed('aws-access-key', keyword, '[A-Z2-7]{16}')),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((keyword) => prefixed('github', keyword, '[A-Za-z0-9]{36,255}')),
  prefixed('github-fine-grained', 'github_pat_', '[A-Za-z0-9_]{60,255}'),
  prefixed('gitlab', 'glpat-', '[A-Za-z0-9_.-]{20,300}'),
  ...[
    'gldt-',
    'glrt-',
    'glptt-',
    'glcbt-',
    'glft-',
    'glimt-',
    'glagent-',
    'gloas-',
    'glsoat-',
    'glffct-',
    'glwt-',
    'GR1348941',
  ].map((keyword) => prefixed('gitlab', keyword, '[A-Za-z0-9_.-]{20,80}')),
  prefixed('anthropic', 'sk-ant-', '[A-Za-z0-9_-]{24,160}'),
  prefixed('openai', 'sk-proj-', '[A-Za-z0-9_-]{32,200}'),
  prefixed('openai-service', 'sk-svcacct-', '[A-Za-z0-9_-]{32,200}'),
  prefixed('openai-admin', 'sk-admin-', '[A-Za-z0-9_-]{32,200}'),
  prefixed('openrouter', 'sk-or-', '[A-Za-z0-9_-]{32,100}'),
  prefixed('openai-like', 'sk-', '[A-Za-z0-9]{32,64}'),
  ...['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'].map((keyword) =>
    prefixed('stripe', keyword, '[A-Za-z0-9]{16,255}'),
  ),
  prefixed('webhook', 'whsec_', '[A-Za-z0-9+/=]{24,100}'),
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxe-', 'xoxo-', 'xoxr-', 'xoxs-', 'xapp-'].map((keyword) =>
    prefixed('slack', keyword, '[A-Za-z0-9-]{10,250}'),
  ),
  prefixed('slack-webhook', 'hooks.slack.com/services/', '[A-Za-z0-9]{6,16}/[A-Za-z0-9]{6,16}/[A-Za-z0-9]{16,48}'),
  prefixed('google-api', 'AIza', '[A-Za-z0-9_-]{35}'),
  prefixed('google-oauth', 'ya29.', '[A-Za-z0-9_-]{20,500}'),
  prefixed('google-client', 'GOCSPX-', '[A-Za-z0-9_-]{28}'),
  prefixed('sendgrid', 'SG.', '(?:[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}|[A-Za-z0-9_=.-]{66})'),
  prefixed('npm', 'npm_', '[A-Za-z0-9]{36}'),
  prefixed('pypi', 'pypi-', '[A-Za-z0-9_-]{50,500}'),
  prefixed('huggingface', 'hf_', '[A-Za-z]{34}'),
  prefixed('digitalocean', 'dop_v1_', '[a-f0-9]{64}'),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((keyword) => prefixed('shopify', keyword, '[a-fA-F0-9]{32}')),
  prefixed('square', 'sq0atp-', '[A-Za-z0-9_-]{22}'),
  prefixed('postman', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  prefixed('linear', 'lin_api_', '[A-Za-z0-9]{40}'),
  prefixed('notion', 'ntn_', '[A-Za-z0-9]{40,60}'),
  prefixed('figma', 'figd_', '[A-Za-z0-9_-]{40,60}'),
  prefixed('databricks', 'dapi', '[a-f0-9]{32}(?:-\\d)?'),
  prefixed('vault', 'hvs.', '[A-Za-z0-9_-]{24,200}'),
  prefixed('groq', 'gsk_', '[A-Za-z0-9]{52}'),
  prefixed('1password', 'ops_eyJ', '[A-Za-z0-9+/]{100,1500}={0,2}'),
  prefixed('azure-storage', 'AccountKey=', '[A-Za-z0-9+/]{86}=='),
  ...['dt0c01.', 'dt0s01.', 'dt0s02.', 'dt0s16.'].map((keyword) =>
    prefixed('dynatrace', keyword, '[A-Za-z0-9]{8,24}\\.[A-Za-z0-9]{64}'),
  ),
  ...['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'].map((keyword) =>
    prefixed('doppler', keyword, '[A-Za-z0-9_.-]{40,80}'),
  ),
  prefixed('discord-webhook', 'discord.com/api/webhooks/', '\\d{17,20}/[A-Za-z0-9_-]{60,80}'),
  prefixed('grafana', 'glsa_', '[A-Za-z0-9]{32}_[a-f0-9]{8}'),
  prefixed('mailgun', 'key-', '[a-f0-9]{32}'),
  prefixed('new-relic', 'NRAK-', '[A-Z0-9]{27}'),
  prefixed('perplexity', 'pplx-', '[A-Za-z0-9]{48}'),
  ...['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'].map((keyword) =>
    prefixed('planetscale', keyword, '[A-Za-z0-9_.=-]{32,64}'),
  ),
  prefixed('pulumi', 'pul-', '[a-f0-9]{40}'),
  prefixed('replicate', 'r8_', '[A-Za-z0-9]{37}'),
  prefixed('sentry', 'sntrys_eyJ', '[A-Za-z0-9+/=_-]{80,500}'),
  prefixed('supabase', 'sbp_', '[a-f0-9]{40}'),
  prefixed('xai', 'xai-', '[A-Za-z0-9]{80}'),
  prefixed('age', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}'),
  prefixed('airtable', 'pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'),
  ...issuers(`${ALNUM}{16,30}`, 'alibaba LTAI', 'settlemint sm_aat_ sm_pat_ sm_sat_', 'razorpay rzp_live_ rzp_test_'),
  ...issuers(
    `${ALNUM}{24,64}`,
    'fireworks fw_',
    'vercel vcp_ vck_ vci_ vca_',
    'neon napi_',
    'render rnd_',
    'browserbase bb_live_',
  ),
  ...issuers(`${ALNUM}{26,40}`, 'octopus API-', 'infracost ico-', 'adafruit aio_', 'bitbucket ATBB', 'zuplo zpka_'),
  ...issuers(
    `${WORD}{26,80}`,
    'docker dckr_pat_ dckr_oat_',
    'tavily tvly-',
    'defined dnkey-',
    'netlify nfp_',
    'nylas nyk_v0_',
  ),
  ...issuers(
    `${ALNUM}{32,64}`,
    'prefect pnu_ pnb_',
    'hugging-face api_org_',
    'nuget oy2',
    'mailersend mlsn.',
    'jina jina_',
    'cerebras csk-',
  ),
  ...issuers(
    `${WORD}{40,120}`,
    'contentful CFPAT-',
    'posthog phx_ phc_ phs_',
    'duffel duffel_live_ duffel_test_',
    'fly fo1_',
    'notion secret_',
  ),
  ...issuers(
    `${WORD}{40,120}`,
    'openshift sha256~',
    'square sq0csp- EAAA',
    'pinecone pcsk_',
    'nvidia nvapi-',
    'cloudflare cfut_ cfat_ cfk_',
  ),
  ...issuers(
    `${WORD}{40,300}`,
    'google-refresh 1//0',
    'heroku HRKU-',
    'typeform tfp_',
    'circleci CCIPAT_ CCIPRJ_',
    'xata xau_',
    'apify apify_api_',
  ),
  ...issuers(
    `${ALNUM}{48,80}`,
    'easypost EZAK EZTK',
    'clojars CLOJARS_',
    'artifactory AKCp',
    'artifactory-reference cmVmd',
    'readme rdme_',
  ),
  ...issuers(
    '[a-f0-9]{32,80}',
    'sonar sqp_ sqa_ squ_',
    'firecrawl fc-',
    'sourcegraph sgp_ slk_',
    'digitalocean doo_v1_ dor_v1_',
    'shopify shpua_',
  ),
  ...issuers(
    '[a-f0-9]{40,80}',
    'rubygems rubygems_',
    'shippo shippo_live_ shippo_test_',
    'sentry-user sntryu_',
    'buildkite bkua_',
    'github-app v1.',
  ),
  ...issuers(
    `[A-Za-z0-9_=.-]{48,600}`,
    'atlassian ATATT3 ATCTT3 ATSTT3',
    'trello ATTA',
    'dropbox sl.',
    'fly-macaroon fm1r_ fm2_',
    'frameio fio-u-',
  ),
  ...issuers(
    '[A-Za-z0-9+/=_-]{60,600}',
    'grafana-cloud glc_eyJ',
    'bedrock ABSK',
    'mapbox sk.eyJ',
    'intra42 s-s4t2ud-',
    's-s4t2af s-s4t2af-',
  ),
  ...issuers(`${ALNUM}{80,400}`, 'meta EAA'),
  ...issuers(`${WORD}{40,60}`, 'scalingo tk-us- tk-eu-', 'langsmith lsv2_pt_ lsv2_sk_', 'supabase-secret sb_secret_'),
  ...issuers(
    UUID,
    'plaid access-sandbox- access-development- access-production-',
    'launchdarkly api- sdk- mob-',
    'wakatime waka_',
  ),
  ...issuers(UUID, 'hubspot pat-na1- pat-na2- pat-eu1-', 'langfuse sk-lf-', 'helicone sk-helicone-'),
  ...issuers('[a-f0-9]{31}', `twilio ${[...'0123456789abcdef'].map((digit) => `SK${digit}`).join(' ')}`),
  ...issuers(`(?:auth|api|client|scim|webhook)-${ALNUM}{8,24}(?:CNTRL)?-${ALNUM}{16,48}`, 'tailscale tskey-'),
  ...issuers(`${ALNUM}{8}_${ALNUM}{24}`, 'resend re_'),
  ...issuers('[a-f0-9]{64}-[A-Za-z0-9]{16}', 'brevo xkeysib- xsmtpsib-'),
  ...issuers('[a-f0-9]{24}-[a-f0-9]{100,200}', 'cloudflare-origin v1.0-'),
  ...issuers('[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,32}', 'harness pat. sat.'),
  ...issuers('(?:TEST-)?[A-Za-z0-9]{12,64}(?:-X)?', 'flutterwave FLWSECK_TEST- FLWSECK- FLWPUBK_TEST-'),
  ...issuers(
    '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}',
    '1password A3-',
  ),
  ...issuers(
    '[A-Za-z0-9_]{30,60}',
    'new-relic NRII- NRJS- NRSP-',
    'anyscale esecret_',
    'elevenlabs sk_',
    'valtown vtwn_',
    'wandb wandb_v1_',
  ),
  ...issuers(`${ALNUM}{38}`, 'clickhouse 4b1d'),
  ...issuers(`${WORD}{29}`, 'freemius sk_'),
  ...issuers(`${WORD}{35,60}`, 'gocardless live_', 'yandex AQVN'),
  ...issuers('[a-f0-9]{19}', 'new-relic NRJS-'),
  ...issuers('[a-f0-9]{31,40}', 'lob live_ test_ live_pub_ test_pub_', 'mailgun pubkey-'),
  ...issuers(`(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}`, 'sourcegraph sgp_'),
  ...issuers(
    `${ALNUM}{4,12}\\.${ALNUM}{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
    'authress sc_ ext_ scauth_',
  ),
  ...issuers(
    '[A-Za-z0-9+/_-]{32,400}={0,3}',
    'grafana-cloud glc_',
    'grafana eyJrIjoi',
    'jwt-base64 ZXlK',
    'vault hvb.',
  ),
  ...issuers('[a-zA-Z0-9]{60}\\.[a-zA-Z0-9]{22}', 'mapbox pk.'),
  ...issuers('[A-Z0-9a-z_-]{30,60}={0,2}\\.[A-Z0-9a-z_-]{80,90}={0,2}', 'yandex t1.'),
  ...issuers('[A-Za-z0-9%]{80,100}', `twitter ${'A'.repeat(22)}`),
  ...issuers(
    '[a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}',
    'teams webhook.office.com/webhookb2/',
  ),
  ...[...'0123456789'].map((digit) =>
    infixed('azure-client', `${digit}Q~`, 3, '[A-Za-z0-9_~.]', '[A-Za-z0-9_~.-]{31,34}'),
  ),
  infixed('mailchimp', '-us', 32, '[a-f0-9]', '\\d{1,2}'),
  infixed('maxmind', '_mmk', 36, '[A-Za-z0-9_]', ''),
  ...issuers(`${ALNUM}{32}`, 'adobe p8e-', 'gitlab-session _gitlab_session='),
  ...issuers('[0-9]{5,12}/[A-Za-z0-9]{5,12}', 'zapier-webhook hooks.zapier.com/hooks/catch/'),
  ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'].map((next) => ({
    name: 'telegram',
    keyword: `:A${next}`,
    pattern: /(?<=(?<!\d)\d{5,16}):(A[A-Za-z0-9_-]{34})(?![A-Za-z0-9_-])/y,
  })),
  {
    name: 'terraform',
    keyword: '.atlasv1.',
    pattern: /(?<=[A-Za-z0-9]{14})\.atlasv1\.([A-Za-z0-9_=-]{60,80})(?![A-Za-z0-9_=-])/y,
  },
  ...['Basic ', 'basic '].map((keyword) => ({
    name: 'basic-authentication',
    keyword,
    pattern: /[Bb]asic ([A-Za-z0-9+/_-]{8,1000}={0,2})(?![A-Za-z0-9+/=_-])/y,
    valid: (secret: string) =>
      /^[\x20-\x7e]{1,300}:[\x20-\x7e]+$/.test(Buffer.from(secret, 'base64').toString('latin1')),
  })),
  ...[' -u', '--user', '--proxy-user'].map((keyword) => ({
    name: 'command-line',
    keyword,
    pattern:
      /(?: -u|--(?:proxy-)?user)[ =]?["']?[^\s:'"$]{1,64}:(?<=(?<![\w-])(?:curl|wget)[ \t][^\n]{0,300})([^\s'"$<{/][^\s'"$<{]{2,127})/y,
  })),
  prefixed('jwt', 'eyJ', '[A-Za-z0-9_-]{10,4000}\\.eyJ[A-Za-z0-9_-]{5,4000}\\.[A-Za-z0-9_-]{0,1000}'),
  {
    name: 'private-key',
    keyword: '-----BEGIN',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----[^-"'<>{}$]{16}[^-]{0,20000}(?:-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----)?/y,
  },
  {
    name: 'connection-string',
    keyword: '://',
    pattern: /:\/\/[^\s:@/"'<>{}$]{0,64}:([^\s:@/"'<>{}$*]{3,128})@[\w.[-]/y,
  },
  { name: 'bearer', keyword: 'Bearer ', pattern: /Bearer ([A-Za-z0-9_.~+/-]{20,2000}={0,2})(?![A-Za-z0-9_-])/y },
];
