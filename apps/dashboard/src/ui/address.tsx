import { Fragment } from 'react'

/** An address with a place for a line break after each slash of its path. */
export const Address = ({ of: url }: { readonly of: string }) =>
  url.split(/(?<=[^/]\/)/).map((part, place) => (
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ))
