const TAIL_CHARS = 8

/** Ids of one minute begin alike: a column shows the end, which tells them apart. Whoever copies it has all of it. */
export const Id = ({ of: id }: { of: string }) => (
  <code className="id" title={id}>
    <span>{id.slice(0, -TAIL_CHARS)}</span>
    <span>{id.slice(-TAIL_CHARS)}</span>
  </code>
)
