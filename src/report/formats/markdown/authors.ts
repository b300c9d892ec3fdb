/** Who made the differences of a plan, as sentences with links to the flags. */

import { flagUrl } from '../../../posthog/flag-url.ts';
import type { Change } from '../../../posthog/plan.ts';
import { attributionText } from '../../words/attributions.ts';
import { labelsOf } from '../../words/kinds.ts';
import type { Authors } from '../text/authors.ts';
import { codeSpan, shortSpan } from './markup.ts';

/** One for each author of each change. */
export function authorSentences({ plan, attributions }: Authors): string[] {
  return plan.changes.flatMap((change) => {
    const fieldsByText = new Map<string, string[]>();
    for (const [path, attribution] of attributions?.get(change.ref) ?? []) {
      const text = attributionText(attribution, shortSpan);
      const field = path === '' ? [] : [labelsOf(change).field(path)];
      fieldsByText.set(text, [...(fieldsByText.get(text) ?? []), ...field]);
    }
    return [...fieldsByText].map(([text, fields]) => {
      const named = fields.length === 0 ? '' : `, ${fields.map((field) => shortSpan(field)).join(', ')}`;
      return `${linkTo(change, plan)}${named}: ${text}`;
    });
  });
}

function linkTo({ key, id, resource }: Change, { project }: Authors['plan']): string {
  const url = id === undefined ? undefined : flagUrl(project, id);
  const name = url === undefined ? codeSpan(key) : `[${codeSpan(key)}](${url})`;
  return resource === 'role_access' ? `role access of ${name}` : name;
}
