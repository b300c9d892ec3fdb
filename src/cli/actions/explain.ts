/** `flagwright explain`: where the values of a flag, a cohort or an early access feature come from, who changed them last, and what is live. */

import { defined } from '../../base/optional.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import { quoteShort } from '../../report/escape.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { EXPLAINED, type ExplainedFamily } from '../explain/explain-declared.ts';
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
  const { declaration, path, section, resource } = found;
  const family: ExplainedFamily<FamilyName> = EXPLAINED[section];
  const declared = family.values(resource, { declaration, project: loaded.project.name, ...defined({ path }) });
  if (path !== undefined && declared.length === 0) {
    const place = `${quoteShort(path.text)} of ${quoteShort(declaration.key)}`;
    await session.note(`No manifest declares ${place} for ${quoteShort(loaded.project.name)}: the service decides.\n`);
  }
  const [read, blamed] = await Promise.all([
    offline === true
      ? { live: { kind: 'offline' as const }, values: new Map() }
      : readExplained(session, loaded, { section, desired: resource, declared }),
    blameValues(session, loaded.config, declared),
  ]);
  await session.publish({
    kind: 'explain',
    project: identityOf(loaded.project),
    key: found.name,
    values: declared.map((value) => ({
      ...value,
      ownership: family.ownershipOf(resource, value.path),
      ...defined({ line: blamed.lineOf(value.place) }),
      ...read.values.get(value.path),
    })),
    live: read.live,
    history: blamed.history,
  });
  return 0;
}
