/** The models of an apply and of a run with nothing to do. */

import type { ApplyResult, ChangeResult } from '../../apply/result.ts';
import { ifGiven } from '../../base/optional.ts';
import type { Remainder } from '../../engine/diff.ts';
import { escapeLine } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { labelsOfRef } from '../words/kinds.ts';
import { NOT_VERIFIED, remainderText } from '../words/outcomes.ts';
import { nothingText, resultSummary } from '../words/summaries.ts';
import { authoredLeft, authorNotice } from './authors.ts';
import { outcomeEntries } from './outcomes.ts';
import { toned, type Phrase } from './phrase.ts';
import { resultRemarks } from './remarks/result.ts';
import type { ReportGroup, ReportPage, ReportModel, RunStanding } from './report-model.ts';
import { LEFT, leftGroup, releasedGroup } from './three-way.ts';
import { BLOCKS } from './change.ts';

export function resultModel(report: ReportOf<'result'>, verbose: boolean): ReportModel {
  const { result, durationMs } = report;
  return {
    command: result.off !== undefined ? 'off' : result.undoes === undefined ? 'apply' : 'undo',
    title: { words: titleOf(result), project: result.project },
    summary: resultSummary(result, durationMs),
    standing: standingOf(result),
    page: () => resultPage(report, verbose),
    remarks: () => resultRemarks(report),
  };
}

/** What was not read back is not known to be as planned. */
function standingOf({ outcomes, changes, remainder, verified, leftOut = [] }: ApplyResult): RunStanding {
  if (outcomes.failed + outcomes.unknown > 0) return 'bad';
  const isWhole = outcomes.applied === changes.length && remainder.length + leftOut.length === 0;
  return isWhole && (verified || changes.length === 0) ? 'good' : 'warning';
}

export function nothingModel({ project, reason }: ReportOf<'nothing'>): ReportModel {
  return {
    command: COMMANDS_OF_NOTHING[reason.code],
    title: { words: nothingText(reason), project },
    page: () => ({ facts: [], notices: [], groups: [] }),
  };
}

const COMMANDS_OF_NOTHING: Readonly<Record<ReportOf<'nothing'>['reason']['code'], string>> = {
  nothing_to_resume: 'apply',
  run_changed_nothing: 'undo',
  already_off: 'off',
};

function titleOf({ changes, undoes, off }: ApplyResult): Phrase {
  if (off !== undefined) {
    const kinds = new Set(changes.map(({ result }) => result.outcome));
    kinds.delete('applied');
    if (kinds.size === 0) return 'Turned off in';
    return kinds.size === 1 && kinds.has('unknown')
      ? 'Not everything is known to be off in'
      : 'Not everything was turned off in';
  }
  if (undoes !== undefined) return ['Undo of run ', { code: undoes }, ' in'];
  return changes.length === 0 ? 'Nothing to apply to' : 'Applied to';
}

function resultPage({ result, run, attributions }: ReportOf<'result'>, verbose: boolean): ReportPage {
  const authors = attributions && { plan: result, attributions };
  const isMade = result.changes.length > 0;
  const applied = result.changes.filter((one) => one.result.outcome === 'applied');
  const others = result.changes.filter((one) => one.result.outcome !== 'applied');
  return {
    facts: [
      ...(run === undefined ? [] : [{ about: 'recorded', phrase: ['Recorded as run ', { code: run }, '.'] } as const]),
      ...(isMade && !result.verified
        ? [{ about: 'unverified', phrase: [toned('caution', NOT_VERIFIED)] } as const]
        : []),
    ],
    notices: [...ifGiven(authors, (known) => authorNotice(authoredLeft(result), known))],
    groups: [
      { ...outcomeGroup({ title: 'Not applied', counted: 'not applied' }, others, verbose), isGrave: true },
      remainderGroup(isMade && result.verified ? result.remainder : []),
      outcomeGroup({ title: 'Applied', counted: 'applied' }, applied, verbose),
      ...ifGiven(result.left, (left) => leftGroup(left, LEFT, { verbose, authors })),
      ...ifGiven(result.released, releasedGroup),
    ],
  };
}

function outcomeGroup(
  { title, counted }: { readonly title: string; readonly counted: string },
  changes: readonly ChangeResult[],
  verbose: boolean,
): ReportGroup {
  return {
    about: 'changes',
    title,
    counted: `${changes.length} ${counted}`,
    ...BLOCKS,
    spacing: 'around',
    entries: outcomeEntries(changes, verbose),
  };
}

function remainderGroup(remainder: readonly Remainder[]): ReportGroup {
  return {
    about: 'remainder',
    title: `Still different after apply (${count(remainder.length, 'value')})`,
    isHeaded: true,
    isNotice: true,
    isGrave: true,
    tone: 'warning',
    ...BLOCKS,
    entries: remainder.map((rest) => ({ head: remainderHead(rest), lines: [] })),
  };
}

function remainderHead(rest: Remainder): Phrase {
  const { ref, key, path } = rest;
  const field = path === '' ? [] : [`  ${escapeLine(labelsOfRef(ref).field(path))}  `, toned('dim', escapeLine(path))];
  return [toned('strong', escapeLine(key)), ...field, `: ${remainderText(rest)}`];
}
