/** Whether what stands for a strategy names a file rather than one of those that are known by name. */
export const isStrategyPath = (nameOrFile: string): boolean =>
  /[/\\]/.test(nameOrFile) || /\.(ya?ml|md)$/i.test(nameOrFile);

/** `risk_averse`, `Risk Averse` and `risk-averse` are one name. */
export const strategyName = (written: string): string =>
  written
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
