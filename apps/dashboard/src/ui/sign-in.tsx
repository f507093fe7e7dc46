import { signInAddress } from '../wire/client.ts'
import { usePageTitle } from './page.tsx'

/** Leads to the OpenID provider. It returns to the present URL with its filters. */
export function SignIn({ wasSignedIn }: { wasSignedIn: boolean }) {
  usePageTitle('Sign in')
  return (
    <main className="alone">
      <div className="sign-in">
        <p className="brand">Merchant Payments</p>
        <h1>{wasSignedIn ? 'Your session is over' : 'Sign in'}</h1>
        <p>
          {wasSignedIn
            ? 'Sign in again to return to this page. Only changes that you had confirmed were made.'
            : 'For staff of this deployment.'}
        </p>
        <a className="button main" href={signInAddress(location.pathname + location.search)}>
          Sign in
        </a>
      </div>
    </main>
  )
}
