/** The writer of each kind of resource. */

import type { Change } from './plan.ts';
import type { Writer } from '../engine/writer.ts';
import type { ServiceClient } from './client/client.ts';
import { flagWriter } from './flag/write.ts';
import { roleAccessWriter } from './role-access/write.ts';
import type { RunState } from './run-state.ts';

export type Resource = Change['resource'];
export type ChangeOf<Kind extends Resource> = Extract<Change, { readonly resource: Kind }>;
export type KindWriter<Kind extends Resource = Resource> = Writer<ChangeOf<Kind>, RunState, ServiceClient>;

export const WRITERS: { readonly [Kind in Resource]: KindWriter<Kind> } = {
  flag: flagWriter,
  role_access: roleAccessWriter,
};

/** The writer of the change's kind. */
export function writerFor<Kind extends Resource>({ resource }: { readonly resource: Kind }): KindWriter<Kind> {
  return WRITERS[resource];
}

export const RESOURCES: readonly Resource[] = Object.keys(WRITERS) as Resource[];
