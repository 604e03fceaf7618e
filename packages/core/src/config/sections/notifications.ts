import * as z from 'zod';
import { setting } from '../setting.ts';
import { isHttpUrl } from '../variables.ts';

/** `notifications` of the configuration: where a server reports questions that wait for a person. */
export const notificationsSchema = z.strictObject({
  webhook: setting(z.string().refine(isHttpUrl, 'expected an http:// or https:// URL').optional(), {
    description: 'address of messages, in the format of Slack, for [questions to persons](approvals.md#be-notified)',
    env: 'TOOLWRIGHT_NOTIFICATIONS_WEBHOOK',
    defaultText: 'none',
  }),
});
