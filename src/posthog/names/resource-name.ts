/** Names of resources, as options have them: the key of a flag, or the key after its kind, `cohort:ALIAS`. */

import { refTo } from '../../engine/change.ts';
import type { KindTypes, OwnKind } from '../kind-types.ts';

/** The kinds of their own with their sections; the first one is that of the main family. */
const SECTIONS: { readonly [Kind in OwnKind]: KindTypes[Kind]['section'] } = {
  flag: 'flags',
  cohort: 'cohorts',
  early_access: 'early_access',
};

const [MAIN, ...FURTHER] = Object.keys(SECTIONS) as [OwnKind, ...OwnKind[]];

/** A resource, by its key within its family. */
export interface NamedResource {
  readonly kind: OwnKind;
  readonly section: KindTypes[OwnKind]['section'];
  readonly key: string;
}

/** The key of a flag contains no colon. */
export function readName(name: string): NamedResource {
  const kind = FURTHER.find((one) => name.startsWith(refTo(one, ''))) ?? MAIN;
  return { kind, section: SECTIONS[kind], key: kind === MAIN ? name : name.slice(refTo(kind, '').length) };
}

/** The name of a resource in options and safety rules. */
export function nameResource(kind: OwnKind, key: string): string {
  return kind === MAIN ? key : refTo(kind, key);
}

/** Whether the name is that of a flag. */
export function isOfMain(name: string): boolean {
  return readName(name).kind === MAIN;
}
