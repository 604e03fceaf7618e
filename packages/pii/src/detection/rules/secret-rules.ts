/** A secret with the prefix of its issuer. */
export interface SecretRule {
  readonly name: string;
  /** Literal text of every such secret. The pattern is tried only at this text. */
  readonly keyword: string;
  /** Sticky, bounded, without nested repetition. Group 1, if there is one, is the secret. */
  readonly pattern: RegExp;
}

const END = '(?![A-Za-z0-9_-])';

function prefixed(name: string, keyword: string, rest: string): SecretRule {
  const literal = keyword.replace(/[.$]/g, '\\$&');
  return { name, keyword, pattern: new RegExp(`(?<![A-Za-z0-9_-])${literal}${rest}${END}`, 'y') };
}

/** Formats that issuers publish. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((keyword) => prefixed('aws-access-key', keyword, '[A-Z2-7]{16}')),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((keyword) => prefixed('github', keyword, '[A-Za-z0-9]{36,255}')),
  prefixed('github-fine-grained', 'github_pat_', '[A-Za-z0-9_]{60,255}'),
  prefixed('gitlab', 'glpat-', '[A-Za-z0-9_.-]{20,300}'),
  ...['gldt-', 'glrt-', 'glptt-', 'glcbt-'].map((keyword) => prefixed('gitlab', keyword, '[A-Za-z0-9_-]{20,64}')),
  prefixed('anthropic', 'sk-ant-', '[A-Za-z0-9_-]{24,160}'),
  prefixed('openai', 'sk-proj-', '[A-Za-z0-9_-]{32,200}'),
  prefixed('openai-service', 'sk-svcacct-', '[A-Za-z0-9_-]{32,200}'),
  prefixed('openai-admin', 'sk-admin-', '[A-Za-z0-9_-]{32,200}'),
  prefixed('openrouter', 'sk-or-', '[A-Za-z0-9_-]{32,100}'),
  prefixed('openai-like', 'sk-', '[A-Za-z0-9]{32,64}'),
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((keyword) =>
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
  prefixed('sendgrid', 'SG.', '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}'),
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
  prefixed('dynatrace', 'dt0c01.', '[A-Z2-7]{24}\\.[A-Z2-7]{64}'),
  ...['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.'].map((keyword) => prefixed('doppler', keyword, '[A-Za-z0-9_.-]{40,80}')),
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
