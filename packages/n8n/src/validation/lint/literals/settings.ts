import { suggest } from '@toolwright/core/suggest';
import { isObject } from '../../../json.ts';
import { SETTING_KEYS } from '../../body.ts';
import type { Finding } from '../../finding.ts';
import type { LintRule } from '../report.ts';

/** Reports settings that n8n's API refuses. */
export const settingRule: LintRule = ({ workflow: { raw } }) =>
  Object.keys(isObject(raw.settings) ? raw.settings : {}).flatMap((key): Finding[] => {
    if (Object.hasOwn(SETTING_KEYS, key)) return [];
    const path = `settings.${key}`;
    const message = `n8n's API does not accept ${path}; createWorkflow leaves it out.`;
    const near = suggest(key, Object.keys(SETTING_KEYS), 1);
    const fix = near.length > 0 ? `Write settings.${near[0]}, or remove it.` : 'Remove it, or set it in the editor.';
    return [{ code: 'SETTING_UNKNOWN', path, message, fix }];
  });
