export { type Person, people, rolesByClaim } from './people.ts'
export { type IdentityProvider, startIdentityProvider } from './start.ts'
