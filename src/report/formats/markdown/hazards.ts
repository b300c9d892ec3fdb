/** A safety rule that a plan breaks as Markdown, with the ways out. */

import type { Hazard } from '../../../posthog/plan.ts';
import { hazardText, waysOut } from '../../words/hazards.ts';
import { codeSpan, shortSpan } from './markup.ts';

/** `project`: its name, for commands. */
export function hazardSentence(hazard: Hazard, project: string | undefined): string {
  const ways = waysOut(hazard, project).map(({ words, text }) => `${words} ${codeSpan(text)}.`);
  return [hazardText(hazard, shortSpan), ...ways].join(' ');
}
