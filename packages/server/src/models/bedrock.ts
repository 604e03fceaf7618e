import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { fetchDirectly, loadPackage } from './package.ts';

export interface BedrockModelOptions {
  /** For example `anthropic.claude-sonnet-4-5-20250929-v1:0`. */
  readonly name: string;
  readonly region: string;
  /** An API key of Bedrock, or a pair of AWS keys. */
  readonly credentials:
    | { readonly apiKey: string }
    | {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken?: string | undefined;
      };
  /** Default: the endpoint of the region. */
  readonly baseUrl?: string | undefined;
}

/** Creates a model of Amazon Bedrock. Raises `CONFIG_INVALID` without the package `@ai-sdk/amazon-bedrock`. */
export async function bedrockModel({ name, region, credentials, baseUrl }: BedrockModelOptions): Promise<Model> {
  const load = () => import('@ai-sdk/amazon-bedrock');
  const { createAmazonBedrock } = await loadPackage('@ai-sdk/amazon-bedrock', load);
  const keys =
    'apiKey' in credentials
      ? credentials
      : {
          accessKeyId: credentials.accessKeyId,
          secretAccessKey: credentials.secretAccessKey,
          sessionToken: credentials.sessionToken,
        };
  const provider = createAmazonBedrock({
    region,
    fetch: fetchDirectly,
    ...keys,
    baseURL: baseUrl,
  });
  return languageModel({
    name: `bedrock/${name}`,
    model: provider(name),
    secrets: Object.values(keys).filter((key) => key !== undefined),
    keyVariable: 'the AWS_ variables',
  });
}
