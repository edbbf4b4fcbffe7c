/** Reads the home's configuration. */
export { createConfigSource, type ConfigSource } from './config-source.ts';
export { ConfigError } from './config-error.ts';
export { configFile, loadConfig } from './load-config.ts';
