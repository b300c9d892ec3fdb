/** The edits of YAML text, and the reasons to refuse one. */

import type { JsonObject, JsonValue } from '../../json.ts';

/** Names of members and indices of elements, outermost first. */
export type YamlPath = readonly (string | number)[];

/**
 * One value to write. The path leads from the top of the document through mappings (names) and lists (indices, as they are
 * before the edits). Mappings that are missing on the way are added; an index after the last one adds an element. `value`
 * undefined removes the member or element. `beside`: what stands in the document that is edited; absent: the path, and of several documents the first
 * that has most of it counts.
 */
export interface YamlEdit {
  readonly path: readonly [string, ...(string | number)[]];
  readonly value: JsonValue | undefined;
  readonly beside?: YamlPath;
}

/** An edit that sets a member and passes no list. */
export interface MemberEdit extends YamlEdit {
  readonly path: readonly [string, ...string[]];
  readonly value: JsonValue;
}

/**
 * Why an edit is not made. `unreadable`: the text has mistakes. `alias`, `merge-key`: the value comes from there. `anchor`: the
 * value is used elsewhere too. `tag`: the value has a tag that rules out the new one. `no-mapping`: the path passes something
 * other than a mapping or a list, or misses an element. `overlapping`: an earlier edit writes a part of the value, or all of it.
 * `unwritable`: YAML cannot say the value. `reads-differently`: the edited text would not read as wished.
 */
export type EditRefusal =
  | 'unreadable'
  | 'alias'
  | 'merge-key'
  | 'anchor'
  | 'tag'
  | 'no-mapping'
  | 'overlapping'
  | 'unwritable'
  | 'reads-differently';

export interface RefusedEdit<Edit extends YamlEdit = YamlEdit> {
  readonly edit: Edit;
  readonly reason: EditRefusal;
  /** Where the value that cannot be edited is written, counted from 1. */
  readonly line: number;
  readonly column: number;
}

export interface EditedYaml<Edit extends YamlEdit = YamlEdit> {
  readonly text: string;
  /** Edits that the text cannot take without changing something else, such as one within an anchor. The text lacks them. */
  readonly refused: readonly RefusedEdit<Edit>[];
}

/**
 * Lays out the members of the mapping at a path in block style, in lines without the indentation of the mapping. `style`: how
 * the text around indents.
 */
export interface LayOut {
  (members: JsonObject, path: YamlPath, style?: LayOutStyle): string;
  /** The usual order of the members of the mapping at a path; `undefined` if it has none. */
  readonly order?: (path: YamlPath) => readonly string[] | undefined;
  /** The names of members that are forms of one value, for each such value. One that takes the place of others gets all of their comments. */
  readonly forms?: readonly ReadonlySet<string>[];
}

export interface LayOutStyle {
  /** Columns by which a mapping is indented in the one around it. */
  readonly indent: number;
  /** Whether a list is indented in the mapping around it. */
  readonly indentSeq: boolean;
}
