const TAIL_CHARS = 8

/** Shows the end of an id, because ids of one minute have the same beginning. Copying yields the whole id. */
export const Id = ({ of: id }: { of: string }) => (
  <code className="id" title={id}>
    <span>{id.slice(0, -TAIL_CHARS)}</span>
    <span>{id.slice(-TAIL_CHARS)}</span>
  </code>
)
