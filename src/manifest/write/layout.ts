/** Writes a manifest as YAML: some parts in block style, the others on one line. */

import { definedKeys, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { escapeInvisible } from '../../base/text.ts';
import type { LayOutStyle } from '../../base/yaml/editing/edits.ts';
import { type Block, blockOf, memberAt, type Position } from './block-style.ts';
import { memberText } from './plain-text.ts';
import { yamlText } from './yaml-nodes.ts';

export interface Layout {
  /** The block style of a declaration in each section, by the section's name. */
  readonly blocks: Readonly<Record<string, Block>>;
  /** Path or address of the manifest schema, for editors. */
  readonly schemaPath?: string | undefined;
  /** A line above a declaration, by its key. */
  readonly comments?: ReadonlyMap<string, string>;
}

/** The text of one manifest file. Parsing it returns `manifest`. */
export function layOut(manifest: JsonObject, layout: Layout): string {
  const { blocks, schemaPath } = layout;
  const sections = definedKeys(manifest).map((name) => {
    const section = manifest[name] as JsonValue;
    const isSpaced = isJsonObject(section) && definedKeys(section).length > 0 && Object.hasOwn(blocks, name);
    return isSpaced ? sectionText(name, section, layout) : memberText(name, section, topOf(blocks));
  });
  const head = schemaPath === undefined ? [] : [`# yaml-language-server: $schema=${schemaPath}`];
  return escapeInvisible([...head, ...sections, ''].join('\n'));
}

/**
 * The text of members that are added to a mapping of a manifest, in lines without the mapping's indentation. `path`: where the
 * mapping is, such as `['flags', 'checkout', 'projects']`.
 */
export function layOutMembers(
  members: JsonObject,
  path: readonly string[],
  { blocks, style }: { readonly blocks: Layout['blocks']; readonly style?: LayOutStyle | undefined },
): string {
  const block = path.reduce<Block | undefined>((outer, name) => blockOf(name, outer), topOf(blocks).block) ?? {};
  const at = { block, column: path.length * 2, indent: path.length * 2 };
  return escapeInvisible(yamlText(members, at, style));
}

function topOf(blocks: Layout['blocks']): Position {
  const sections = Object.entries(blocks).map(([name, each]): [string, Block] => [name, { each }]);
  return { block: { members: Object.fromEntries(sections) }, column: 0, indent: 0 };
}

/** With an empty line between declarations. */
function sectionText(name: string, section: JsonObject, { blocks, comments }: Layout): string {
  const at = memberAt(name, topOf(blocks));
  const declarations = definedKeys(section).map((key) => {
    const text = memberText(key, section[key] as JsonValue, at);
    const comment = comments?.get(key);
    return comment === undefined ? `  ${text}` : `  # ${comment}\n  ${text}`;
  });
  return `${name}:\n${declarations.join('\n\n')}`;
}
