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

export interface ReviewedRequest {
  readonly number: number;
  readonly head: string;
  readonly author: string;
  /** The commit on the main branch, once it is merged. */
  mergedAs?: string;
  readonly target?: string;
  readonly reviews: Review[];
  /** The plan that its job stored. */
  plan?: StoredPlan;
}

export interface StoredPlan {
  readonly text: string;
  readonly name?: string;
  readonly expired?: boolean;
  readonly isOfFork?: boolean;
  readonly head?: string;
  readonly event?: string;
  readonly path?: string;
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
  const [, number, reviews] = /^\/repos\/acme\/shop\/pulls\/(\d+)(\/reviews)?$/.exec(path) ?? [];
  const request = state.reviewed.find((one) => String(one.number) === number);
  if (request === undefined) return undefined;
  if (reviews === undefined) return ok(pullOf(request));
  const all = request.reviews.map(({ by, state: said, commit: of }) => ({
    user: by === 'ghost' ? null : { login: by },
    state: said ?? 'APPROVED',
    commit_id: of,
  }));
  return githubPage(all, query);
}

/** GitHub and GitLab name open requests too that have the commit. */
function namedBy({ reviewed }: ReviewState, commit: string): readonly ReviewedRequest[] {
  return reviewed.filter(({ head, mergedAs }) => [head, mergedAs].includes(commit));
}

function pullOf({ number, head, author, mergedAs, target }: ReviewedRequest): object {
  return {
    number,
    head: { sha: head },
    base: { ref: target ?? 'main' },
    user: { login: author },
    merged_at: mergedAs === undefined ? null : PUSHED,
    merge_commit_sha: mergedAs ?? 'a merge that was only tried',
  };
}

function artifactsOf({ reviewed }: ReviewState, wanted: string | null): readonly object[] {
  return reviewed.flatMap(({ number, head, plan }) => {
    if (plan === undefined || (plan.name ?? `flag-review-production-${head}`) !== wanted) return [];
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
  const [, job] = /^\/projects\/9\/jobs\/(\d+)\/artifacts\/plan\.json$/.exec(path) ?? [];
  const stored = state.reviewed.find(({ number }) => String(1000 + number) === job)?.plan;
  if (stored !== undefined) return stored.expired === true ? NOT_FOUND : ok(JSON.parse(stored.text));
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

function mergeRequestOf({ number, head, author, mergedAs, target, plan }: ReviewedRequest): object {
  return {
    iid: number,
    sha: head,
    state: mergedAs === undefined ? 'opened' : 'merged',
    target_branch: target ?? 'main',
    merge_commit_sha: mergedAs ?? null,
    squash_commit_sha: null,
    author: { id: idOf(author) },
    head_pipeline: plan === undefined ? null : { id: 1000 + number, project_id: plan.isOfFork === true ? 10 : 9 },
  };
}
