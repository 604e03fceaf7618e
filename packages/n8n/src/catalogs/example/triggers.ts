import type { NodeDescription } from '../description.ts';
import { baseNode, choice, collection, count, list, text, when } from './parts.ts';

const METHODS = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE', HEAD: 'HEAD' };

/** Nodes that start a workflow. */
export const TRIGGERS: readonly NodeDescription[] = [
  baseNode('webhook', {
    displayName: 'Webhook',
    description: 'Starts when its address is called over HTTP',
    group: ['trigger'],
    version: [1, 1.1, 2, 2.1],
    inputs: [],
    isTriggerLike: true,
    webhooks: [{ name: 'default' }],
    credentials: [
      { name: 'httpBasicAuth', required: true, ...when({ authentication: ['basicAuth'] }) },
      { name: 'httpHeaderAuth', required: true, ...when({ authentication: ['headerAuth'] }) },
    ],
    properties: [
      choice('httpMethod', 'HTTP Method', METHODS),
      text('path', 'Path', { required: true }),
      choice('authentication', 'Authentication', { none: 'None', basicAuth: 'Basic', headerAuth: 'Header' }),
      choice('responseMode', 'Respond', {
        onReceived: 'At once',
        lastNode: 'When the last node finishes',
        responseNode: 'By a Respond to Webhook node',
      }),
      choice(
        'responseData',
        'Response Data',
        { firstEntryJson: 'First item', allEntries: 'All items', noData: 'Nothing' },
        when({ responseMode: ['lastNode'] }),
      ),
      collection('options', 'Options', [
        text('binaryPropertyName', 'Field for Files'),
        text('responseContentType', 'Response Content-Type'),
      ]),
    ],
  }),
  baseNode('scheduleTrigger', {
    displayName: 'Schedule Trigger',
    description: 'Starts at set times: every so many minutes, hours or days, or by a cron expression',
    group: ['trigger', 'schedule'],
    version: [1, 1.1, 1.2, 1.3],
    inputs: [],
    isTriggerLike: true,
    properties: [
      list(
        'rule',
        'Trigger Rules',
        'interval',
        [
          choice('field', 'Interval', {
            days: 'Days',
            seconds: 'Seconds',
            minutes: 'Minutes',
            hours: 'Hours',
            weeks: 'Weeks',
            months: 'Months',
            cronExpression: 'Cron expression',
          }),
          count('minutesInterval', 'Minutes Between', 5, when({ field: ['minutes'] })),
          count('hoursInterval', 'Hours Between', 1, when({ field: ['hours'] })),
          count('triggerAtMinute', 'At Minute', 0, when({ field: ['hours', 'days', 'weeks', 'months'] })),
          count('triggerAtHour', 'At Hour', 0, when({ field: ['days', 'weeks', 'months'] })),
          count('daysInterval', 'Days Between', 1, when({ field: ['days'] })),
          text('expression', 'Expression', when({ field: ['cronExpression'] })),
        ],
        { default: { interval: [{ field: 'days' }] } },
      ),
    ],
  }),
  baseNode('manualTrigger', {
    displayName: 'Manual Trigger',
    defaultName: 'When clicking ‘Execute workflow’',
    description: 'Starts when someone presses the button in the editor',
    group: ['trigger'],
    version: [1],
    inputs: [],
    isTriggerLike: true,
    properties: [],
  }),
  baseNode('formTrigger', {
    displayName: 'n8n Form Trigger',
    defaultName: 'On form submission',
    description: 'Shows a form in the browser and starts when it is sent',
    group: ['trigger'],
    version: [2.2, 2.3],
    inputs: [],
    isTriggerLike: true,
    webhooks: [{ name: 'default' }],
    properties: [
      text('formTitle', 'Form Title', { required: true }),
      text('formDescription', 'Form Description'),
      list('formFields', 'Form Fields', 'values', [
        text('fieldLabel', 'Field Label', { required: true }),
        choice('fieldType', 'Type', {
          text: 'Text',
          number: 'Number',
          email: 'Email',
          date: 'Date',
          dropdown: 'Choice',
        }),
      ]),
    ],
  }),
];
