import { Page } from './page.tsx'

/** Shown if the page throws or its script cannot be loaded. */
export const ScreenFault = () => (
  <Page title="This page could not be shown">
    <p>Its script could not be loaded or failed. Nothing was changed. Reload the page.</p>
    <button type="button" onClick={() => location.reload()}>
      Reload
    </button>
  </Page>
)
