/** What GitHub and GitLab answer about reviews: pull requests of a commit, approvals, who may write, and stored plans. */

import { githubPage, gitlabPage } from './forge-pages.ts';

export interface Review {
  readonly by: string;
  /** As GitHub names it: `APPROVED`, `COMMENTED`, `CHANGES_REQUESTED`, `DISMISSED`. GitLab knows approvals only. */
  readonly state?: string;
  readonly commit: string;
  /** Of GitLab: before or after the newest commit was pushed, or not said. */
  readonly when?: 'before' | 'unsaid';
}

/** A push to the branch of a request, newest first. */
export interface Push {
  readonly by: string;
  /** Absent: the newest commit. */
  readonly commit?: string;
  readonly at?: string;
  /** It made or removed the branch. */
  readonly kind?: 'made' | 'removed';
  /** Of another branch. */
  readonly branch?: string;
}

export interface ReviewedRequest {
  readonly number: number;
  readonly head: string;
  readonly author: string;
  /** The commit on the main branch, once it is merged. */
  mergedAs?: string;
  readonly target?: string;
  readonly reviews: Review[];
  /** Absent: the author made the branch with the newest commit. */
  readonly pushes?: readonly Push[];
  /** Who wrote commits of it, as the forge finds by the address. */
  readonly writers?: readonly string[];
  /** The repository of its branch is another one. */
  readonly isFromFork?: boolean;
  /** The plan that its job stored. */
  plan?: StoredPlan;
}

export interface StoredPlan {
  readonly text: string;
  /** What the job says beside it about the request. */
  readonly review?: string;
  readonly name?: string;
  readonly expired?: boolean;
  readonly isOfFork?: boolean;
  readonly head?: string;
  readonly event?: string;
  readonly path?: string;
  /** Of GitLab: the folder of the files in the checkout, `shop/`; absent: the top. */
  readonly folder?: string;
  /** Of GitLab: of the job. */
  readonly status?: string;
  /** Of GitHub: the artifact, where it is not one with the text. */
  readonly archive?: Buffer;
  readonly downloadStatus?: number;
}

export interface ReviewState {
  readonly reviewed: ReviewedRequest[];
  /** Who has which permission; absent: `write`. */
  readonly permissions: Record<string, string>;
  /** The address of another host, which has the artifacts. */
  storage: string;
}

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
}
interface Answer {
  readonly status: number;
  readonly value?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const NOT_FOUND: Answer = { status: 404, value: { message: 'Not Found' } };
const ok = (value: unknown): Answer => ({ status: 200, value });
const PUSHED = '2026-01-02T00:00:00.000Z';
const OPENED = '2026-01-01T12:00:00.000Z';
const MADE = '2026-01-01T00:00:00.000Z';
const WHEN = { before: '2026-01-01T00:00:00.000Z', after: '2026-01-03T00:00:00.000Z' };
/** One for each login. */
const idOf = (login: string): number => Number.parseInt(Buffer.from(login).toString('hex').slice(0, 12), 16);

export function githubReviews({ path, query }: Asked, state: ReviewState): Answer | undefined {
  const [, commit] = /^\/repos\/acme\/shop\/commits\/([^/]+)\/pulls$/.exec(path) ?? [];
  if (commit !== undefined) return githubPage(namedBy(state, commit).map(pullOf), query);
  const [, login] = /^\/repos\/acme\/shop\/collaborators\/([^/]+)\/permission$/.exec(path) ?? [];
  if (login !== undefined) {
    const permission = state.permissions[login] ?? 'write';
    return permission === 'unknown' ? NOT_FOUND : ok({ permission });
  }
  const [, artifact] = /^\/repos\/acme\/shop\/actions\/artifacts\/(\d+)\/zip$/.exec(path) ?? [];
  if (artifact !== undefined) return { status: 302, headers: { location: `${state.storage}/${artifact}?sig=secret` } };
  if (path === '/repos/acme/shop/actions/artifacts') return ok({ artifacts: artifactsOf(state, query.get('name')) });
  const [, run] = /^\/repos\/acme\/shop\/actions\/runs\/(\d+)$/.exec(path) ?? [];
  const made = state.reviewed.find(({ number }) => String(1000 + number) === run)?.plan;
  if (made !== undefined)
    return ok({ event: made.event ?? 'pull_request', path: made.path ?? '.github/workflows/flags.yml' });
  if (path === '/repos/acme/shop/activity') return activityOf(state, query);
  const [, number, reviews] = /^\/repos\/acme\/shop\/pulls\/(\d+)(\/reviews|\/commits)?$/.exec(path) ?? [];
  const request = state.reviewed.find((one) => String(one.number) === number);
  if (request === undefined) return undefined;
  if (reviews === undefined) return ok(pullOf(request));
  if (reviews === '/commits') {
    const writers = request.writers ?? [];
    return githubPage([{ author: null, committer: null }, ...writers.map((login) => ({ author: { login } }))], query);
  }
  const all = request.reviews.map(({ by, state: said, commit: of }) => ({
    user: by === 'ghost' ? null : { login: by },
    state: said ?? 'APPROVED',
    commit_id: of,
  }));
  return githubPage(all, query);
}

/** GitHub names the next page by a cursor, and not at all the one that follows. */
function activityOf({ reviewed }: ReviewState, query: URLSearchParams): Answer {
  const asked = reviewed.filter((one) => `refs/heads/${branchOf(one)}` === query.get('ref'));
  const all = asked.flatMap(pushesOf).map(({ by, commit, at, kind = 'pushed' }) => ({
    activity_type: { made: 'branch_creation', removed: 'branch_deletion', pushed: 'push' }[kind],
    actor: by === 'ghost' ? null : { login: by },
    after: commit,
    timestamp: at,
  }));
  const begin = Number(query.get('after') ?? 0);
  const size = Number(query.get('per_page'));
  const next = `<https://api.github.com/repositories/1/activity?per_page=${size}&after=${begin + size}>; rel="next"`;
  const headers: Record<string, string> = begin + size < all.length ? { link: next } : {};
  return { ...ok(all.slice(begin, begin + size)), headers };
}

const branchOf = ({ number }: ReviewedRequest): string => `change-${number}`;

function pushesOf(request: ReviewedRequest): readonly (Push & { readonly commit: string; readonly at: string })[] {
  const { author, head, pushes = [{ by: author, kind: 'made' }] } = request;
  const whole = pushes.map((push) => ({ commit: head, at: push.kind === 'made' ? MADE : PUSHED, ...push }));
  return whole.filter(({ branch }) => branch === undefined);
}

/** GitHub and GitLab name open requests too that have the commit. */
function namedBy({ reviewed }: ReviewState, commit: string): readonly ReviewedRequest[] {
  return reviewed.filter(({ head, mergedAs }) => [head, mergedAs].includes(commit));
}

function pullOf(request: ReviewedRequest): object {
  const { number, head, author, mergedAs, target, isFromFork } = request;
  const repository = isFromFork === true ? 'stranger/shop' : 'acme/shop';
  return {
    number,
    created_at: OPENED,
    head: { sha: head, ref: branchOf(request), repo: { full_name: repository } },
    base: { ref: target ?? 'main' },
    user: { login: author },
    merged_at: mergedAs === undefined ? null : PUSHED,
    merge_commit_sha: mergedAs ?? 'a merge that was only tried',
  };
}

function artifactsOf({ reviewed }: ReviewState, wanted: string | null): readonly object[] {
  return reviewed.flatMap(({ number, head, plan }) => {
    if (plan === undefined || (plan.name ?? `flag-review-production-${number}-${head}`) !== wanted) return [];
    const repository = { repository_id: 1, head_repository_id: plan.isOfFork === true ? 2 : 1 };
    const run = { id: 1000 + number, head_sha: plan.head ?? head, ...repository };
    return [{ id: number, expired: plan.expired ?? false, workflow_run: run }];
  });
}

export function gitlabReviews({ path, query }: Asked, state: ReviewState): Answer | undefined {
  const [, commit] = /^\/projects\/9\/repository\/commits\/([^/]+)\/merge_requests$/.exec(path) ?? [];
  if (commit !== undefined) return gitlabPage(namedBy(state, commit).map(mergeRequestOf), query);
  const [, member] = /^\/projects\/9\/members\/all\/(\d+)$/.exec(path) ?? [];
  if (member !== undefined) return memberOf(state, Number(member));
  const [, pipeline] = /^\/projects\/9\/pipelines\/(\d+)\/jobs$/.exec(path) ?? [];
  const planned = state.reviewed.find(({ number }) => String(1000 + number) === pipeline)?.plan;
  if (planned !== undefined)
    return gitlabPage(
      [
        { id: 1, name: 'flags:validate', status: 'success' },
        { id: pipeline, name: planned.name ?? 'flags:plan', status: planned.status ?? 'success' },
      ],
      query,
    );
  if (path === '/projects/9/events') return eventsOf(state, query);
  const [, job, folder, file] =
    /^\/projects\/9\/jobs\/(\d+)\/artifacts\/(.*?)(plan|flag-review)\.json$/.exec(path) ?? [];
  const stored = state.reviewed.find(({ number }) => String(1000 + number) === job)?.plan;
  if (stored !== undefined) {
    const text = file === 'plan' ? stored.text : (stored.review ?? '{}');
    const isThere = stored.expired !== true && folder === (stored.folder ?? '');
    return !isThere ? NOT_FOUND : ok(JSON.parse(text));
  }
  const [, number, part] = /^\/projects\/9\/merge_requests\/(\d+)(\/versions|\/approvals)?$/.exec(path) ?? [];
  const request = state.reviewed.find((one) => String(one.number) === number);
  if (request === undefined) return undefined;
  if (part === undefined) return ok(mergeRequestOf(request));
  if (part === '/versions')
    return gitlabPage(
      [
        { head_commit_sha: request.head, created_at: PUSHED },
        { head_commit_sha: 'older', created_at: '2025-12-31T00:00:00.000Z' },
      ],
      query,
    );
  return ok({
    approved_by: request.reviews.map(({ by, when }) => ({
      user: { id: idOf(by), username: by },
      ...(when === 'unsaid' ? {} : { approved_at: WHEN[when ?? 'after'] }),
    })),
  });
}

function memberOf({ reviewed, permissions }: ReviewState, id: number): Answer {
  const login = reviewed.flatMap(({ reviews }) => reviews).find(({ by }) => idOf(by) === id)?.by ?? '';
  const permission = permissions[login] ?? 'write';
  return permission === 'unknown' ? NOT_FOUND : ok({ access_level: permission === 'write' ? 30 : 20 });
}

function eventsOf({ reviewed }: ReviewState, query: URLSearchParams): Answer {
  const all = reviewed.flatMap((request) =>
    pushesOf(request).map(({ by, commit, at, kind = 'pushed' }) => ({
      author: { username: by },
      created_at: at,
      push_data: {
        ref_type: 'branch',
        ref: branchOf(request),
        action: { made: 'created', removed: 'removed', pushed: 'pushed' }[kind],
        commit_to: commit,
      },
    })),
  );
  return gitlabPage([{ push_data: { ref_type: 'tag', ref: 'v1' } }, ...all], query);
}

function mergeRequestOf(request: ReviewedRequest): object {
  const { number, head, author, mergedAs, target, plan, isFromFork } = request;
  return {
    iid: number,
    created_at: OPENED,
    source_branch: branchOf(request),
    source_project_id: isFromFork === true ? 10 : 9,
    sha: head,
    state: mergedAs === undefined ? 'opened' : 'merged',
    target_branch: target ?? 'main',
    merge_commit_sha: mergedAs ?? null,
    squash_commit_sha: null,
    author: { id: idOf(author) },
    head_pipeline: plan === undefined ? null : { id: 1000 + number, project_id: plan.isOfFork === true ? 10 : 9 },
  };
}
