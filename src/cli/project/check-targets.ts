/** Refuses a key or `--target` that selects no flag of the run: the run would end as if everything were in sync. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { quoted, shown } from '../../base/wording.ts';
import { matchKeys, unmatchedPatterns } from '../../core/engine/scope.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredNames, FAMILIES } from '../../posthog/families.ts';
import type { LiveState } from '../../posthog/live.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import { shellWord } from '../../report/escape.ts';

export interface SelectableFlags {
  readonly project: string;
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** Keys of unmanaged flags that the run reports or deletes. */
  readonly unmanaged: readonly string[];
  readonly targeting?: TargetSource;
}

/** The syntax that names the flags: an option, arguments, or arguments that name unmanaged flags only. */
export type TargetSource = 'option' | 'override' | 'keys' | 'unmanaged';

const OPTIONS: Readonly<Record<TargetSource, string>> = {
  option: '--target ',
  override: '--override ',
  keys: '',
  unmanaged: '',
};

/** @throws {FlagwrightError} `usage` with the reason and the remedy for each target that selects nothing. */
export function checkTargets(targets: readonly string[], selectable: SelectableFlags): void {
  const { desired, unmanaged, project, targeting = 'option' } = selectable;
  if (targeting === 'unmanaged') {
    const among = `that is in scope in the project ${quoted(project)} and that no manifest declares`;
    const choice = { keys: unmanaged, among, targeting };
    return refuse(unmatchedPatterns(targets, unmanaged).map((target) => explainUnknown(target, choice)));
  }
  const others = declaredNames({ ...desired, flags: [] });
  const keys = [...desired.flags.map(({ key }) => key), ...unmanaged, ...others];
  refuse(unmatchedPatterns(targets, keys).map((target) => explain(target, keys, selectable)));
}

/**
 * The same for live flags that are exported.
 * @throws {FlagwrightError} `usage`, as above.
 */
export function checkLiveTargets(
  targets: readonly string[],
  keys: readonly string[],
  { project, targeting = 'option' }: Pick<SelectableFlags, 'project' | 'targeting'>,
): void {
  const choice = { keys, among: `of the project ${quoted(project)}`, targeting } as const;
  refuse(unmatchedPatterns(targets, keys).map((target) => explainUnknown(target, choice)));
}

/**
 * The same for resources whose live edits a run may revert.
 * @throws {FlagwrightError} `usage`, as above.
 */
export function checkOverrides(
  overrides: readonly string[],
  { project, desired, live }: Pick<SelectableFlags, 'project' | 'desired' | 'live'>,
): void {
  checkLiveTargets(overrides, knownNames(desired, live.flags), { project, targeting: 'override' });
}

/** The names of all declared resources and of all live flags. */
export function knownNames(desired: DesiredState, live: LiveState['flags']): readonly string[] {
  const keys = [...desired.flags, ...live.filter(({ deleted }) => deleted !== true)].map(({ key }) => key);
  return [...new Set(keys), ...declaredNames({ ...desired, flags: [] })];
}

function refuse(reasons: readonly TargetRefusal[]): void {
  if (reasons.length === 0) return;
  const distinct = (texts: readonly string[]): string => [...new Set(texts)].join(' ');
  throw new FlagwrightError('usage', distinct(reasons.map(({ why }) => why)), {
    remedy: distinct(reasons.map(({ remedy }) => remedy)),
  });
}

type TargetRefusal = Readonly<Record<'why' | 'remedy', string>>;

function explain(target: string, keys: readonly string[], selectable: SelectableFlags): TargetRefusal {
  const { project, live, targeting = 'option' } = selectable;
  const isNamed = matchKeys([target]);
  const name = nameOf(target, targeting);
  const elsewhere = selectable.desired.namedElsewhere?.flags?.find(isNamed);
  if (elsewhere !== undefined) {
    return {
      why: `${name}: the manifests declare ${quoted(elsewhere)} for other projects, not for ${quoted(project)}.`,
      remedy: 'Select another project with --project, or change `only_in` in the manifest.',
    };
  }
  const renamed = selectable.desired.flags.find(
    (flag) => flag.kind === 'declared' && flag.previousKeys.some(isNamed),
  )?.key;
  if (renamed !== undefined) {
    return {
      why: `${name}: that is a previous key of ${quoted(renamed)}.`,
      remedy: `Use ${nameOf(renamed, targeting)}.`,
    };
  }
  const unmanaged = live.flags.find(({ key, deleted }) => deleted !== true && isNamed(key))?.key;
  if (unmanaged !== undefined) {
    return {
      why: `${name}: no manifest declares the flag ${quoted(unmanaged)} of the project ${quoted(project)}.`,
      remedy: `To declare it, run flagwright accept --unmanaged ${shellWord(unmanaged)} -p ${shellWord(project)}.`,
    };
  }
  const among = `that the manifests declare for the project ${quoted(project)}`;
  return explainUnknown(target, { keys, among, targeting });
}

function nameOf(target: string, targeting: TargetSource): string {
  const option = OPTIONS[targeting];
  return option === '' ? quoted(target) : `${option}${shown(target)}`;
}

interface KeyChoice {
  readonly keys: readonly string[];
  /** The flags that could have been named. */
  readonly among: string;
  readonly targeting: TargetSource;
}

function explainUnknown(target: string, { keys, among, targeting }: KeyChoice): TargetRefusal {
  const name = nameOf(target, targeting);
  const option = OPTIONS[targeting];
  const parts = target.split(',').map((part) => part.trim());
  if (parts.length > 1 && !target.includes('{')) {
    const words = parts.filter((part) => part !== '').map(shown);
    return {
      why: `${name} matches no flag: a comma does not separate ${targeting === 'option' ? 'targets' : 'keys'}.`,
      remedy: `Separate them with spaces: ${option}${words.join(' ')}.`,
    };
  }
  const why = `${name} matches no flag ${among}.`;
  if (keys.length === 0) return { why, remedy: 'There is none to name.' };
  const ofFurther = FAMILIES.map(({ kind }) => nameResource(kind, target)).find((one) => keys.includes(one));
  if (ofFurther !== undefined) return { why, remedy: `Did you mean ${nameOf(ofFurther, targeting)}?` };
  if (target !== '' && keys.some((key) => key.startsWith(target))) {
    return { why, remedy: `For all keys with this prefix, use ${option}"${shown(target)}*".` };
  }
  const suggestion = nearest(target, keys);
  const remedy = suggestion === undefined ? 'Check its spelling.' : `Did you mean ${nameOf(suggestion, targeting)}?`;
  return { why, remedy };
}
