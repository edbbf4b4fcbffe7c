/** Reads the home's configuration. */
export { createConfigSource, type ConfigSource } from './config-source.ts';
export { configFile, loadConfig } from './load-config.ts';
