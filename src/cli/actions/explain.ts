/** `flagwright explain`: where the values of a flag or cohort come from, who changed them last, and what is live. */

import { defined } from '../../base/optional.ts';
import { explainCohort } from '../../posthog/cohort/explain.ts';
import type { DesiredFlag } from '../../posthog/desired.ts';
import type { DesiredCohort } from '../../posthog/cohort/desired.ts';
import { explainAccess, explainDeclaration, ownershipOf } from '../../posthog/explain.ts';
import { quoteShort } from '../../report/escape.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { findExplained } from '../explain/explain-find.ts';
import { blameValues } from '../explain/explain-history.ts';
import { readExplained } from '../explain/explain-live.ts';
import { loadDesiredState, loadProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';

export interface ExplainOptions {
  /** Only what the manifests and git say. */
  readonly offline?: boolean;
}

/** Without git or the service it shows the rest and says what is missing. */
export async function explain(session: Session, name: string, { offline }: ExplainOptions): Promise<ExitCode> {
  const loaded = await loadProject(session);
  const desired = await loadDesiredState(session, loaded);
  const found = await findExplained(loaded, desired, name);
  const { declaration, path } = found;
  const subject =
    found.section === 'cohorts' ? { cohort: found.resource as DesiredCohort } : { flag: found.resource as DesiredFlag };
  const declared =
    'flag' in subject
      ? [...explainDeclaration(declaration, loaded.project.name, path), ...explainAccess(subject.flag, path)]
      : explainCohort(declaration, loaded.project.name, path);
  if (path !== undefined && declared.length === 0) {
    const place = `${quoteShort(path.text)} of ${quoteShort(declaration.key)}`;
    await session.note(`No manifest declares ${place} for ${quoteShort(loaded.project.name)}: the service decides.\n`);
  }
  const [read, blamed] = await Promise.all([
    offline === true
      ? { live: { kind: 'offline' as const }, values: new Map() }
      : readExplained(session, loaded, { ...subject, declared }),
    blameValues(session, loaded.config, declared),
  ]);
  await session.publish({
    kind: 'explain',
    project: identityOf(loaded.project),
    key: found.name,
    values: declared.map((value) => ({
      ...value,
      ownership: 'flag' in subject ? ownershipOf(subject.flag, value.path) : ('managed' as const),
      ...defined({ line: blamed.lineOf(value.place) }),
      ...read.values.get(value.path),
    })),
    live: read.live,
    history: blamed.history,
  });
  return 0;
}
