/** Limits the declared cohorts that a further project lacks to the other projects, unless its flags or cohorts use them. */

import { matchAllCohorts } from '../../posthog/cohort/match.ts';
import type { EditingContext } from '../context.ts';
import { editTexts, type FileEdit, type ManifestText } from '../texts.ts';
import { limitEdit } from './membership.ts';
import { ofRefused, type NotMerged } from './not-merged.ts';
import { proveCohorts } from './prove-cohorts.ts';
import { nameResource } from '../../posthog/resource-name.ts';

export interface LimitedCohorts {
  /** All manifests, with the edited ones. */
  readonly texts: readonly ManifestText[];
  /** The names of the cohorts. */
  readonly limited: readonly string[];
  readonly notMerged: readonly NotMerged[];
}

export function limitCohorts(context: EditingContext): LimitedCohorts {
  const { manifests } = context;
  const notMerged: NotMerged[] = [];
  let open = findLacking(context);
  for (;;) {
    const edits = open.map((key) => ({ key, edit: limit(key, context) }));
    const { texts, refused } = editTexts(
      manifests,
      edits.flatMap(({ edit }) => edit ?? []),
    );
    const failed = [
      ...edits.flatMap(({ key, edit }): NotMerged[] =>
        edit === undefined ? [{ key, reason: 'declared-only-here' }] : [],
      ),
      ...refused.map(ofRefused),
    ];
    const wrong = failed.length > 0 ? failed : proveCohorts(context, texts, { open, reasonOf: () => 'still-used' });
    if (wrong.length === 0) return { texts, limited: open, notMerged };
    notMerged.push(...wrong);
    open = open.filter((key) => !wrong.some((one) => one.key === key));
  }
}

function findLacking({ read, project, live }: EditingContext): readonly string[] {
  return matchAllCohorts(read.resolve(project).desired, live).pairs.flatMap(({ desired, live: one }) => {
    const isHere = one !== undefined && one.deleted !== true;
    return desired.kind === 'retired' || isHere ? [] : [nameResource('cohort', desired.key)];
  });
}

/** Absent for a cohort that is declared for the project alone. */
function limit(name: string, { read, project, allProjects }: EditingContext): FileEdit | undefined {
  const declaration = read.declarations.get(name);
  const edit = declaration && limitEdit(declaration, project.name, allProjects);
  return declaration && edit && { file: declaration.file, edit };
}
