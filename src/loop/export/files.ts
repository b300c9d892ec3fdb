/** Writes flags in their chosen forms to the texts of files, none larger than the limit for reading. */

import { comparing } from '../../base/compare-strings.ts';
import type { JsonObject } from '../../base/json.ts';
import { MAX_FILE_BYTES } from '../../core/manifest/tree-source.ts';
import { groupFiles } from '../../core/manifest/write/group-files.ts';
import { layOut } from '../../core/manifest/write/layout.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { writeFlag, type FiltersForm, FLAG_BLOCK, SHORT_FLAG_BLOCK } from '../../posthog/flag/layout.ts';
import { FLAG_SECTION } from '../../posthog/flag/manifest/section.ts';
import type { NameLookup } from '../../posthog/flag/model/references.ts';
import { heldFor } from './notes.ts';
import type { ExportedFile, ExportInput, ExportOptions, ExportReason } from './export.ts';

export interface ChosenFlag {
  readonly flag: Flag;
  readonly form: FiltersForm;
  /** The reasons for unchecked filters; empty if they are checked. */
  readonly reasons: readonly ExportReason[];
}

export interface ExportContext {
  readonly input: ExportInput;
  readonly options: ExportOptions;
  readonly names: NameLookup;
}

export function writeFiles(
  chosen: readonly ChosenFlag[],
  surroundings: ExportContext,
  maxBytes: number = MAX_FILE_BYTES,
): ExportedFile[] {
  const byKey = new Map(chosen.map((one) => [one.flag.key, one]));
  const { onlyIn } = surroundings.options;
  const grouped = groupFiles([...byKey.keys()], surroundings.options.groupBy ?? 'prefix');
  const existing = surroundings.options.taken ?? new Set<string>();
  const taken = new Set([...grouped.keys(), ...existing]);
  const files = [...grouped].flatMap(([path, keys]) => {
    const flags = keys.flatMap((key) => byKey.get(key) ?? []);
    const texts = splitText(flags, { writeText: (part) => writeText(part, surroundings), maxBytes });
    return texts.map((text, index) => ({
      path: index === 0 && !existing.has(path) ? path : nextPath(path, taken, onlyIn),
      text,
    }));
  });
  return files.toSorted(comparing(({ path }) => path));
}

function writeText(flags: readonly ChosenFlag[], { input, options, names }: ExportContext): string {
  const { schemaPath, full = false, minimal = false, onlyIn } = options;
  const ofProject = onlyIn === undefined ? {} : { only_in: [onlyIn] };
  const written: [key: string, declaration: JsonObject][] = [];
  const comments = new Map<string, string>();
  for (const { flag, form, reasons } of flags) {
    const declaration = writeFlag(flag, { form, access: heldFor(flag, input), names, minimal, full });
    written.push([flag.key, { ...declaration, ...ofProject }]);
    if (reasons.length === 0) continue;
    const why = `because they break rules: ${reasons.join(', ')}`;
    comments.set(flag.key, `Unchecked filters, exactly as the service holds them, ${why}`);
  }
  const { name } = FLAG_SECTION;
  const blocks = { [name]: full ? FLAG_BLOCK : SHORT_FLAG_BLOCK };
  return layOut({ [name]: Object.fromEntries(written) }, { blocks, schemaPath, comments });
}

/** One text, or several if one would be too large. */
export function splitText<One>(
  parts: readonly One[],
  { writeText, maxBytes }: { readonly writeText: (parts: readonly One[]) => string; readonly maxBytes: number },
): string[] {
  const text = writeText(parts);
  if (parts.length === 1 || Buffer.byteLength(text) <= maxBytes) return [text];
  const half = Math.ceil(parts.length / 2);
  return [parts.slice(0, half), parts.slice(half)].flatMap((some) => splitText(some, { writeText, maxBytes }));
}

/** The path, or the next one that no file has. `taken` gets it, too. */
export function freePath(path: string, taken: Set<string>, onlyIn: string | undefined): string {
  if (taken.has(path)) return nextPath(path, taken, onlyIn);
  taken.add(path);
  return path;
}

/** `checkout-2.yaml` next to `checkout.yaml`, unless a file has that name; for one project first `checkout-staging.yaml`. */
function nextPath(path: string, taken: Set<string>, onlyIn: string | undefined): string {
  const stem = path.replace(/\.yaml$/, '');
  const own = onlyIn === undefined ? undefined : `${stem}-${onlyIn.toLowerCase()}`;
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? `${own ?? stem}.yaml` : `${own ?? stem}-${number}.yaml`;
    if (taken.has(next)) continue;
    taken.add(next);
    return next;
  }
}
