/** What edited texts declare otherwise than before. */

import { jsonEquals } from '../base/json.ts';
import type { Project } from '../posthog/project.ts';
import { meaningsOf } from './declared.ts';
import type { ReadTexts } from './texts.ts';

/** The names of flags and cohorts whose declarations mean something else for the project, or came, or went. */
export function findChanged(before: ReadTexts, after: ReadTexts, project: Project): string[] {
  const [former, now] = [before, after].map((read) => meaningsOf(read.resolve(project).desired));
  const names = new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].filter((name) => !jsonEquals(former?.get(name), now?.get(name)));
}
