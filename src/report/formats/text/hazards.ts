/** The safety rules that a plan breaks as text, each with the option that allows it. */

import type { Hazard, Plan } from '../../../posthog/plan.ts';
import type { Palette } from '../../view.ts';
import { escapeLine } from '../../escape.ts';
import { hazardText, waysOut, type WayOut } from '../../words/hazards.ts';

/** Heads the hazards of a plan that is shown and not applied. */
export const WOULD_REFUSE = 'Apply would refuse this plan (exit code 4):';

/** `project`: absent where the run failed before it had one. */
export interface Refusal extends Pick<Plan, 'hazards'> {
  readonly project?: Pick<Plan['project'], 'name'>;
}

export function hazardLines({ hazards, project }: Refusal, heading: string, palette: Palette): string[] {
  if (hazards.length === 0) return [];
  return [
    palette.error(heading),
    ...hazards.flatMap((hazard) => oneHazard(waysOut(hazard, project?.name), { hazard, palette })),
  ];
}

/** One way out stands on the line of the hazard, several below it. */
function oneHazard(
  ways: readonly WayOut[],
  { hazard, palette }: { readonly hazard: Hazard; readonly palette: Palette },
): string[] {
  const [first, ...others] = ways.map(({ words, text }) => palette.dim(`${words} ${escapeLine(text)}`));
  const head = `  ${hazardText(hazard)}`;
  return others.length === 0 ? [`${head} ${first}`] : [head, ...[first, ...others].map((line) => `    ${line}`)];
}
