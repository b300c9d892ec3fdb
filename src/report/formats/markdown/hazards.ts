/** A safety rule that a plan breaks as Markdown, with the ways out. */

import type { Hazard } from '../../../posthog/plan.ts';
import { hazardText, waysOut } from '../../words/hazards.ts';
import { codeSpan, shortSpan } from './markup.ts';

export function hazardSentence(hazard: Hazard): string {
  const ways = waysOut(hazard).map(({ words, text }) => `${words} ${codeSpan(text)}.`);
  return [hazardText(hazard, shortSpan), ...ways].join(' ');
}
