/** The references of one repository as a document, which the repository of the flags reads. */

import { validateReferences } from '../../base/generated/reference-validators.ts';
import { parseJson } from '../../base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { RefsSource } from '../../config/config.ts';
import { fingerprintOf } from '../../core/engine/plan-document.ts';
import type { CodeReferences, IndirectRead, Reference, SkippedFiles, UnknownRead } from './reference.ts';
import type { SearchedRepository, SourceGap } from './use.ts';

/** A repository whose code was searched for others. */
export interface ExportedRepository {
  readonly name: string;
  readonly commit?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly code: CodeReferences;
}

export function writeReferences({ name, commit, at, code }: ExportedRepository): JsonObject {
  const { references, unknownReads, indirectReads, loose, keys, files, lines, skipped } = code;
  const document = {
    format_version: '1.0',
    repository: name,
    ...defined({ commit }),
    created_at: at,
    keys,
    references: references as unknown as JsonValue,
    not_declared: unknownReads as unknown as JsonValue,
    indirect: indirectReads as unknown as JsonValue,
    outside_quotes: Object.fromEntries(loose),
    files,
    lines,
    skipped: { ...skipped },
  };
  return { ...document, digest: fingerprintOf(document) };
}

interface WrittenReferences {
  readonly repository: string;
  readonly commit?: string;
  readonly created_at: string;
  readonly keys: readonly string[];
  readonly references: readonly Reference[];
  readonly not_declared: readonly UnknownRead[];
  readonly indirect: readonly IndirectRead[];
  readonly outside_quotes: Readonly<Record<string, number>>;
  readonly files: number;
  readonly lines: number;
  readonly skipped: SkippedFiles;
}

export type ReadSource =
  | { readonly kind: 'read'; readonly repository: SearchedRepository; readonly gap?: SourceGap }
  | { readonly kind: 'gap'; readonly gap: SourceGap };

/** An old document still shows where code reads flags, but not for certain. `now`: milliseconds since 1970. */
export function readReferences(text: string, source: RefsSource, now: number): ReadSource {
  const { repository, file, maxAgeDays } = source;
  const written = parseDocument(text);
  if (typeof written === 'string')
    return { kind: 'gap', gap: { code: 'source_unreadable', repository, file, detail: written } };
  if (written.repository !== repository) {
    return { kind: 'gap', gap: { code: 'source_renamed', repository, file, found: written.repository } };
  }
  const days = (now - Date.parse(written.created_at)) / DAY;
  if (Number.isNaN(days) || days < -1) {
    const detail = Number.isNaN(days) ? 'its time does not exist' : 'its time is in the future';
    return { kind: 'gap', gap: { code: 'source_unreadable', repository, file, detail } };
  }
  const isOld = days > maxAgeDays;
  const { commit, created_at: at } = written;
  const known: SearchedRepository = { name: repository, ...defined({ commit }), at, code: toCode(written, isOld) };
  if (!isOld) return { kind: 'read', repository: known };
  const gap = { code: 'source_old', repository, file, days: Math.floor(days), max_days: maxAgeDays } as const;
  return { kind: 'read', repository: known, gap };
}

const DAY = 86_400_000;

/** A document that flagwright wrote and nobody edited since; what names flags in it is no code. */
export function isSealedDocument(bytes: Uint8Array): boolean {
  if (!bytes.subarray(0, HEAD_BYTES).includes(BRACE)) return false;
  try {
    const value = parseJson(Buffer.from(bytes).toString('utf8'));
    if (!isJsonObject(value)) return false;
    return SEALS.some((seal) => {
      const { [seal]: own, ...document } = value;
      return own !== undefined && own === fingerprintOf(document);
    });
  } catch {
    return false;
  }
}

const SEALS = ['digest', 'fingerprint'] as const;
const HEAD_BYTES = 100;
const BRACE = 123;

/** A string says why it is not one. */
function parseDocument(text: string): WrittenReferences | string {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isJsonObject(value) || !validateReferences(value)) return 'it is not a document of `flagwright refs export`';
  const { digest, ...document } = value;
  return digest === fingerprintOf(document)
    ? (document as unknown as WrittenReferences)
    : 'it was edited or truncated: its digest differs';
}

function toCode(written: WrittenReferences, isOld: boolean): CodeReferences {
  const { keys, references, not_declared: reads, indirect, outside_quotes: loose, files, lines, skipped } = written;
  const doubtful = reads.map((read): Reference => ({ ...read, form: 'call', certain: false }));
  return {
    keys,
    references: isOld ? [...references.map((one) => ({ ...one, certain: false })), ...doubtful] : references,
    unknownReads: isOld ? [] : reads,
    indirectReads: indirect,
    loose: new Map(Object.entries(loose)),
    files,
    lines,
    skipped,
  };
}
