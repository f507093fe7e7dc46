import { Link } from '@tanstack/react-router'
import { Page } from './page.tsx'

export const NoSuchScreen = () => (
  <Page title="There is no such page">
    <p>
      The dashboard has no page at this address. <Link to="/">Go to the overview</Link>, or look up an id.
    </p>
  </Page>
)
