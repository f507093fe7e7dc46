export { type Person, people, rolesByClaim } from './people.ts'
export { type IdentityProvider, startIdentityProvider, STRONG_ACR } from './start.ts'
