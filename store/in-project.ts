/** SQL: whether the session `s` works in the folder `:project` or below it, as `isBelow` says it of names. */
export const inProject = `(s.project = :project OR
  substr(s.project, 1, length(rtrim(:project, '/')) + 1) = rtrim(:project, '/') || '/')`;
