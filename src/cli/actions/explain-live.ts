/** Reads the live values of a declared resource, and who set them. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { readAttributions } from '../../posthog/reading/read-attributions.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DeclaredValue } from '../../posthog/declared/explain.ts';
import { familyIn } from '../../posthog/families.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { PostHog } from '../../posthog/kind.ts';
import { selectionOf } from '../../posthog/live-selection.ts';
import type { ScheduledFacts } from '../../impact/scheduled.ts';
import type { ExplainedValue, LiveFacts } from '../../report/report.ts';
import { findScheduledOf } from '../plan/find-scheduled.ts';
import { findOwnWrites } from '../runs/find-recorded.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';

export interface ReadFlag {
  readonly live: LiveFacts;
  /** Keys are paths. */
  readonly values: ReadonlyMap<string, Pick<ExplainedValue, 'live' | 'attribution'>>;
  readonly scheduled?: ScheduledFacts;
}

interface ExplainedSubject {
  readonly section: FamilyName;
  readonly desired: PostHog['desired'];
  readonly declared: readonly DeclaredValue[];
}

/**
 * Costs the pages of the lists of flags and scheduled changes, one request for the activity, and one for the access of a flag if that is
 * declared.
 */
export async function readExplained(
  session: Session,
  loaded: LoadedProject,
  subject: ExplainedSubject,
): Promise<ReadFlag> {
  const progress = createProgress(session);
  const { project } = loaded;
  try {
    return await withProject(session, { project, progress }, (opened) =>
      readSubject(session, opened, { ...subject, loaded }).finally(progress.clear),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'aborted') throw error;
    if (!(error instanceof ServiceError || error instanceof FlagwrightError)) throw error;
    const { message, remedy = '' } = toFlagwrightError(error);
    return { live: { kind: 'unread', reason: `${message} ${remedy}`.trim() }, values: new Map() };
  }
}

async function readSubject(
  session: Session,
  opened: OpenProject,
  { section, desired, declared, loaded }: ExplainedSubject & { readonly loaded: LoadedProject },
): Promise<ReadFlag> {
  const schedules = section === 'flags';
  const live = await readLiveState(opened.client, selectionOf({ flags: [], [section]: [desired] }), { schedules });
  const found = familyIn(section).explained.live(desired, declared, live);
  if (found === undefined) return { live: { kind: 'missing' }, values: new Map() };
  const { id, logged, sought } = found;
  const isRecorded = logged !== undefined || found.attached !== undefined;
  const writes = isRecorded ? await findOwnWrites(session, opened.identity) : [];
  const [attributions] =
    logged === undefined ? [] : await readAttributions(opened.client, [{ logged, sought }], writes);
  const values = sought.map((one) => {
    const attribution = attributions?.get(one.path);
    return [one.path, { live: found.liveValueOf(one), ...defined({ attribution }) }] as const;
  });
  const subjects = schedules ? [{ key: desired.key, id }] : [];
  const scheduled = await findScheduledOf(session, { loaded, live }, subjects);
  return {
    live: { kind: 'read', id },
    values: new Map([...values, ...(found.attached?.(writes) ?? [])]),
    ...defined({ scheduled }),
  };
}
