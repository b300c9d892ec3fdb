/** Finds the evaluator of a project's flags, and says what is assumed about it. */

import type { JsonValue } from '../../base/json.ts';
import { escapeLine } from '../../report/escape.ts';
import type { ProjectConfig } from '../../config/config.ts';
import type { Generation } from '../../evaluation/input.ts';
import { comparesFalse } from '../../posthog/flag/model/normal-forms.ts';
import type { LiveState } from '../../posthog/live.ts';
import { generationOf } from '../../testing/generation-of.ts';
import type { Session } from '../session/session.ts';

/** Live state about which a note was written, so that the parts of one report do not repeat it. */
const NOTED = new WeakSet<LiveState>();

export async function findGeneration(session: Session, project: ProjectConfig, live: LiveState): Promise<Generation> {
  const { matching = project.matching, flags, cohorts = [] } = live;
  if (!NOTED.has(live)) {
    NOTED.add(live);
    if (matching !== (project.matching ?? matching)) await noteOther(session, project, matching);
    else if (matching === undefined) await noteAssumed(session, project, [...flags, ...cohorts]);
  }
  return generationOf(project, matching);
}

/** Notes an undeclared `property_matching_version` that decides about one of these flags and cohorts, each with `filters`. */
export async function noteAssumed(
  session: Session,
  project: ProjectConfig,
  compared: readonly { readonly filters?: JsonValue }[],
): Promise<void> {
  const isKnown = project.matching !== undefined || (project.service === 'embedded' && project.isStandIn !== true);
  if (isKnown || !compared.some(({ filters }) => comparesFalse(filters))) return;
  await note(
    session,
    `Filters of ${escapeLine(project.name)} compare with false. What they match depends on the project's property_matching_version: 1, not checked. Declare it in flagwright.yaml.`,
  );
}

async function noteOther(session: Session, { name, matching: declared }: ProjectConfig, found?: number): Promise<void> {
  await note(
    session,
    `The property_matching_version of ${escapeLine(name)} is ${found}, and flagwright.yaml declares ${declared}. People are evaluated by ${found}.`,
  );
}

async function note(session: Session, text: string): Promise<void> {
  await session.note(`${session.palette.warning('note')}  ${text}\n`);
}
