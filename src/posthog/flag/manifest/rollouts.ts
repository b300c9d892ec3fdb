/** The rollouts of a declared flag: their problems, and the values of the resolved flag that they decide. */

import { toPointer } from '../../../base/json-pointer.ts';
import { arrayOrEmpty, objectOrEmpty } from '../../../base/json.ts';
import type { Diagnostic } from '../../../base/diagnostic.ts';
import { defined } from '../../../base/optional.ts';
import { rolloutAt } from '../../../manifest/at-moment.ts';
import { type Declaration, placeFinding, type WrittenRollout } from '../../../manifest/declaration.ts';
import type { LayeredDeclaration } from '../../../manifest/layers.ts';
import { readRollout } from '../../../rollout/read-rollout.ts';
import type { DeclaredRollout } from '../../../rollout/rollout.ts';
import type { Project } from '../../project.ts';
import { type FlagFields, memberPointer } from './fields.ts';

/** Covers all layers, also those of other projects. */
export function checkRollouts(
  declaration: Declaration,
  rollouts: readonly WrittenRollout[],
  { moment }: Project,
): Diagnostic[] {
  // What was applied is no mistake of today.
  const present = moment?.reach === 'applied' ? undefined : moment?.present;
  return rollouts.flatMap(({ pointer, written }) => {
    const { findings } = readRollout(written, defined({ every: moment?.every, present }));
    const unknown = { code: 'rollout-time-unknown', severity: 'error', at: pointer, args: {} } as const;
    return [
      ...findings.map((finding) => placeFinding(declaration, { ...finding, at: pointer + finding.at })),
      ...(moment === undefined ? [placeFinding(declaration, unknown)] : []),
    ];
  });
}

/** The rollouts that decide a value in the project; `undefined` if there are none. */
export function resolveRollouts(
  { declaration, layer }: LayeredDeclaration,
  rollouts: readonly WrittenRollout[],
  { own: { fields }, project: { moment } }: { readonly own: FlagFields; readonly project: Project },
): readonly DeclaredRollout[] | undefined {
  const groups = arrayOrEmpty(objectOrEmpty(fields['filters'])['groups']);
  const paths = [
    '/active',
    ...groups.map((_, index) => toPointer(['filters', 'groups', String(index), 'rollout_percentage'])),
  ];
  const decided = paths.flatMap((path) => {
    const pointer = layer.pathOf(memberPointer(layer, path)).slice(declaration.path.length);
    const one = rollouts.find((each) => each.pointer === pointer);
    const at = one && rolloutAt(declaration, one, moment);
    return at === undefined ? [] : [{ ...at, path }];
  });
  return decided.length === 0 ? undefined : decided;
}
