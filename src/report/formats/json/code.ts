/** The JSON of `refs` and `stale` (schemas/refs.schema.json, schemas/stale.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import {
  countReferences,
  meantKey,
  type RefsReport,
  type StaleReport,
  unknownReadsOf,
} from '../../../code/references/reports.ts';
import type { StaleFlag, JudgedFlag } from '../../../code/references/staleness.ts';
import { gapsOfAll, type KnownCode } from '../../../code/references/use.ts';
import { taskOf } from '../markdown/code.ts';
import { FORMAT_VERSION } from './seal.ts';

export function referencesDocument(report: RefsReport): JsonObject {
  const { code, flags } = report;
  const { unknownReads, stillRead, notFound, ...counts } = countReferences(report);
  return {
    format_version: FORMAT_VERSION,
    summary: { flags: flags.length, ...counts, not_found: notFound, not_declared: unknownReads, still_read: stillRead },
    searched: code.repositories.map(({ name, commit, at, code: { files, lines, skipped } }) => ({
      ...defined({ repository: name, commit, at }),
      files,
      lines,
      skipped: { ...skipped },
    })),
    gaps: gapDocuments(code),
    flags: flags.map(flagDocument),
    not_declared: unknownReadsOf(report).map(
      (read) => ({ ...read, ...defined({ meant: meantKey(report, read.key) }) }) as unknown as JsonObject,
    ),
    indirect: code.repositories.flatMap(({ name, code: { indirectReads } }) =>
      indirectReads.map((read) => ({ ...read, ...defined({ repository: name }) }) as unknown as JsonObject),
    ),
  };
}

function gapDocuments(code: KnownCode): JsonObject[] {
  return gapsOfAll(code).map((gap) => ({ ...gap }) as unknown as JsonObject);
}

function flagDocument({ key, standing, place, to, use }: JudgedFlag): JsonObject {
  const { verdict, references, indirect, loose, gaps } = use;
  return {
    key,
    standing,
    ...defined({ place: place && { ...place }, renamed_to: to }),
    verdict,
    references: references.map(({ place: at, form, certain, repository }) => ({
      ...defined({ repository }),
      place: { ...at },
      form,
      certain,
    })),
    indirect: indirect.length,
    ...(loose === 0 ? {} : { outside_quotes: loose }),
    searched: !gaps.some(({ code }) => code === 'key_not_searched'),
  };
}

export function staleDocument(report: StaleReport): JsonObject {
  const { code, flags, judged, days, asked, unasked, requests, unexplained, tasks } = report;
  return {
    format_version: FORMAT_VERSION,
    judged,
    days,
    asked: [...asked],
    not_asked: unasked.map(({ name, isForbidden }) => ({ project: name, forbidden: isForbidden === true })),
    requests,
    unexplained: unexplained ?? 0,
    gaps: gapDocuments(code),
    flags: flags.map((flag) => ({ ...staleFlagDocument(flag), ...(tasks ? { task: taskOf(flag) ?? null } : {}) })),
  };
}

function staleFlagDocument({ use, owner, place, changed, live, holders, signals, ...flag }: StaleFlag): JsonObject {
  const { key, step, state, description, answer, expires } = flag;
  return {
    key,
    next_step: step,
    signals: { ...signals },
    state,
    ...defined({
      place: place && { ...place },
      description,
      answer,
      expires,
      changed: changed && { ...changed },
      owner: owner && { ...owner },
    }),
    verdict: use.verdict,
    references: use.references.map(({ place: at, certain, repository }) => ({
      ...defined({ repository }),
      place: { ...at },
      certain,
    })),
    live: live.map((one) => ({ ...one })),
    used_by: holders.map(({ project, what, names }) => ({ project, what, names: [...names] })),
  };
}
