/** The words about flags that can go: their evidence, and what to do next. */

import type { Holder, NextStep, SignalName, StaleFlag, Tendency } from '../../references/staleness.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import type { StaleReport } from '../report.ts';
import { count, keysText } from './amounts.ts';
import { unclearText } from './references.ts';

interface StepWords {
  /** The heading. */
  readonly title: string;
  /** A sentence without any value, for tasks as well. */
  readonly what: string;
}

export const STEP_WORDS: Readonly<Record<NextStep, StepWords>> = {
  none: { title: 'Nothing to do', what: 'Keep the flag: the evidence is not enough for any step.' },
  wait: {
    title: 'Wait for calls to be known',
    what: 'No code was found that reads the flag, but it is not known whether deployed code still calls it. Change nothing yet.',
  },
  find_out: {
    title: 'Find out whether code reads the flag',
    what: 'Make the search of the code complete (see `flagwright refs`), and run `flagwright stale` again.',
  },
  decide: {
    title: 'Decide which answer stays',
    what: 'Code reads the flag, and people get different answers. Roll it out to everyone, or turn it off; then the code can go.',
  },
  remove_code: {
    title: 'Remove the flag from the code',
    what: 'Everyone gets the same answer. Remove the reads from the code, and keep what that answer leads to.',
  },
  deploy: {
    title: 'Deploy, and wait until calls end',
    what: 'No code was found that reads the flag, but something still calls it. Deploy the code without it everywhere, and find what else calls it.',
  },
  release: {
    title: 'End what uses the flag',
    what: 'Something in the service still uses the flag. End that use first.',
  },
  disable: { title: 'Disable', what: 'Set `active: false`, then run `flagwright plan` and apply after review.' },
  archive: {
    title: 'Archive',
    what: 'Set `fields: { archived: true }`, then run `flagwright plan` and apply after review.',
  },
  delete: { title: 'Delete', what: 'Set `deleted: true`, then run `flagwright plan` and apply after review.' },
};

/** What each tendency of a signal means, without any value. */
export const SIGNAL_WORDS: Readonly<Record<SignalName, Readonly<Record<Tendency, string>>>> = {
  code: {
    for: 'no code was found that reads it',
    against: 'code reads it',
    unknown: 'it is not known whether code reads it',
  },
  calls: {
    for: 'nothing has called it lately',
    against: 'something called it lately',
    unknown: 'it is not known whether anything calls it',
  },
  answer: {
    for: 'everyone gets the same answer',
    against: 'people get different answers',
    unknown: 'it is not known what people get',
  },
  age: {
    for: 'nobody has changed it lately',
    against: 'it was changed lately',
    unknown: 'it is not known when it was changed',
  },
  expiry: { for: 'its last day has passed', against: 'its last day is ahead', unknown: 'it has no last day' },
};

const HOLDER_WORDS: Readonly<Record<Holder['what'], readonly [one: string, several: string]>> = {
  flags: ['flag with a condition on it', 'flags with a condition on it'],
  experiments: ['experiment', 'experiments'],
  early_access_features: ['early access feature', 'early access features'],
  surveys: ['survey', 'surveys'],
  session_replay: ['use in the settings of session replay', 'uses in the settings of session replay'],
};

/** `not_called: 2026-01-01 in production (STALE: …)`; the values of others are escaped. */
export function signalText(flag: StaleFlag, name: SignalName): string {
  const words = SIGNAL_WORDS[name][flag.signals[name]];
  const detail = DETAILS[name](flag);
  return detail === '' ? words : `${words}: ${detail}`;
}

const DETAILS: Readonly<Record<SignalName, (flag: StaleFlag) => string>> = {
  code: ({ use }) => {
    if (use.verdict === 'not_found') return '';
    const certain = use.references.filter((reference) => reference.certain).length;
    return use.verdict === 'read' ? count(certain, 'place') : unclearText(use);
  },
  calls: ({ live }) =>
    live
      .map(({ project, status, reason, last_called_at: called }) => {
        const when =
          called === undefined
            ? []
            : [called === null ? 'never called' : `last called ${escapeLine(called.slice(0, 10))}`];
        const said =
          status === undefined
            ? []
            : [`${quoteShort(status)}${reason === undefined ? '' : `, “${quoteShort(reason)}”`}`];
        return `${quoteShort(project)} ${[...when, ...said].join(', ') || 'does not report calls'}`;
      })
      .join('; '),
  answer: ({ answer }) => {
    if (answer === undefined) return '';
    if (typeof answer === 'string') return `variant ${quoteShort(answer)}`;
    return answer ? 'on' : 'off';
  },
  age: ({ changed }) =>
    changed === undefined ? '' : `last change ${escapeLine(changed.at.slice(0, 10))} (${changed.by})`,
  expiry: ({ expires }) => (expires === undefined ? '' : escapeLine(expires)),
};

export function holderText({ project, what, names }: Holder): string {
  return `${count(names.length, ...HOLDER_WORDS[what])} in ${quoteShort(project)}: ${keysText(names)}`;
}

const OWNER_WORDS = { tag: 'tag', code_owners: 'CODEOWNERS', git: 'declared it', service: 'created it' } as const;

export function ownerText({ owner }: StaleFlag): string {
  return owner === undefined ? 'no owner known' : `${quoteShort(owner.name)} (${OWNER_WORDS[owner.by]})`;
}

/** `Stale: 3 of 40 flags have a next step · 5 requests`. */
export function staleSummary({ flags, judged, requests }: StaleReport): string {
  const open = flags.filter(({ step }) => step !== 'none').length;
  return `Stale: ${open} of ${count(judged, 'flag')} with a next step · ${count(requests, 'request')}`;
}

export function unaskedText({ unasked }: StaleReport): string {
  return unasked
    .map(
      ({ name, isForbidden }) =>
        `${quoteShort(name)} (${isForbidden === true ? 'the API key may not read its flags' : 'not chosen by --project'})`,
    )
    .join(', ');
}
