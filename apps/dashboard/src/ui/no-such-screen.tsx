import { Link } from '@tanstack/react-router'
import { Page } from './page.tsx'

export const NoSuchScreen = () => (
  <Page title="There is no such page">
    <p>
      The address is none of the dashboard’s. <Link to="/">Go to the overview</Link>, or look an id up.
    </p>
  </Page>
)
