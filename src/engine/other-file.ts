/** Recognises by its beginning a file that is passed as a saved plan and is something else. */

export interface OtherFile {
  /** `a manifest`. */
  readonly what: string;
  readonly remedy: string;
}

/** `undefined` for a JSON object, which may be a plan. The text of a binary file is its bytes read as UTF-8. */
export function findOtherFile(text: string): OtherFile | undefined {
  const beginning = text.slice(0, 1000).replace(/^[\uFEFF\s]+/, '');
  return OTHER_FILES.find(({ begins }) => begins.test(beginning)) ?? (/^[{[]/.test(beginning) ? undefined : UNKNOWN);
}

const MAKE_ONE = 'Save a plan with `flagwright plan --out FILE`.';

const OTHER_FILES: readonly (OtherFile & { readonly begins: RegExp })[] = [
  { begins: /^$/, what: 'an empty file', remedy: MAKE_ONE },
  {
    begins: /^\{\s*"kind":\s*"snapshot"/,
    what: 'a snapshot of a project',
    remedy: 'Plan against it with `flagwright plan --against FILE`. A plan for apply is made without --against.',
  },
  { begins: /^(?:Plan for|Drift of|Undo of) /, what: 'the text of a plan', remedy: MAKE_ONE },
  {
    begins: /^(?:(?:#[^\n]*|---[^\n]*|)\n\s*)*(?:flags|cohorts|role_access):/,
    what: 'a manifest',
    remedy: 'Run `flagwright apply` without a file to apply the manifests; --target KEY limits it to some flags.',
  },
  {
    begins: /^\{"kind":"begun"/,
    what: 'the journal of a run',
    remedy: 'Finish the run with `flagwright apply --resume RUN`, or revert it with `flagwright undo RUN`.',
  },
  { begins: /^(?:PK\p{Cc}|\p{Cc}\uFFFD)/u, what: 'a compressed archive', remedy: 'Unpack it first.' },
  { begins: /^\uFFFD\uFFFD.?\0|^.\0/s, what: 'a UTF-16 file', remedy: MAKE_ONE },
];

const UNKNOWN: OtherFile = { what: 'not a flagwright plan', remedy: MAKE_ONE };
