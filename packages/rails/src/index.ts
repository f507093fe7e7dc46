export { buildRails, createMtnMomo, type MtnMomoConfig, type RailConfig } from './build-rails.ts'
export { openRails } from './open-rails.ts'
