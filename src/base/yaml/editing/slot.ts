/** The place of one value in the text: what an edit replaces, or goes into. */

import type { Node } from 'yaml';
import type { JsonValue } from '../../json.ts';
import type { Anchors } from './anchors.ts';
import type { EditRefusal, YamlEdit, YamlPath } from './edits.ts';
import type { CollectionEntry } from './entries.ts';
import type { Fresh } from './fresh.ts';

export interface Slot {
  readonly node: Node | null;
  /** Aliases and merge keys are resolved. */
  readonly value: JsonValue;
  readonly path: YamlPath;
  readonly around: 'document' | 'block' | 'flow';
  /** The column in which the entry begins. */
  readonly column: number;
  readonly entry: CollectionEntry;
}

/** One document while its changes are found. */
export interface TextEditing extends Fresh {
  readonly text: string;
  readonly anchors: Anchors;
  readonly refuse: (edits: readonly YamlEdit[], reason: EditRefusal, offset: number) => void;
}

export function offsetOf({ node, entry }: Slot): number {
  return node?.range?.[0] ?? entry.start;
}
