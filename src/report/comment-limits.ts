/** How many bytes a document for a comment has. Forges count characters, of which there are never more. */

/** GitHub accepts 65,536 characters. The rest is for the words that a workflow adds. */
export const GITHUB_COMMENT = 64_000;

/** GitLab accepts a million. */
export const GITLAB_COMMENT = 990_000;
