/** The writer of each kind of resource. */

import type { Change } from './plan.ts';
import { flagWriter } from './flag/write.ts';
import { roleAccessWriter } from './role-access/write.ts';
import type { KindWriter } from './run-state.ts';

export type Resource = Change['resource'];
export type ChangeOf<Kind extends Resource> = Extract<Change, { readonly resource: Kind }>;

export const WRITERS: { readonly [Kind in Resource]: KindWriter<ChangeOf<Kind>> } = {
  flag: flagWriter,
  role_access: roleAccessWriter,
};

/** The writer of the change's kind. */
export function writerFor<Kind extends Resource>({
  resource,
}: {
  readonly resource: Kind;
}): KindWriter<ChangeOf<Kind>> {
  return WRITERS[resource];
}

export const RESOURCES: readonly Resource[] = Object.keys(WRITERS) as Resource[];
