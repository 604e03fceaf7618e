import * as z from 'zod';
import { setting } from '../setting.ts';

/** The web pages of other origins that may call the server. */
export const corsSchema = z.strictObject({
  origins: setting(
    z
      .array(
        z.string().refine(isOrigin, 'expected an exact origin such as https://app.example, without a path; not "*"'),
      )
      .default([]),
    {
      description:
        'origins of web pages that may call `toolwright serve`, see [HTTP API](http-api.md#call-the-server-from-a-web-page)',
      env: 'TOOLWRIGHT_CORS_ORIGINS',
    },
  ),
  credentials: setting(z.boolean().default(false), {
    description: 'whether these pages may send cookies and client certificates',
  }),
});

/** The settings of CORS. */
export type CorsSettings = z.output<typeof corsSchema>;

function isOrigin(text: string): boolean {
  return (
    URL.canParse(text) &&
    /^https?:$/.test(new URL(text).protocol) &&
    new URL(text).origin === text &&
    !text.includes('*')
  );
}
