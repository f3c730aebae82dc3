/** Which machines Trainyard runs on, said before anything else can fail less clearly. */

const OLDEST_NODE = 20;
const ARCHITECTURES = ['x64', 'arm64'];

/** A sentence, or null when this machine will do. */
export function whyUnsupported({ platform, arch, versions }) {
  if (platform !== 'linux') {
    return `Trainyard runs on Linux; this is ${platform}. A Linux virtual machine or container will do.`;
  }
  if (!ARCHITECTURES.includes(arch)) {
    return `Trainyard runs on Linux for ${ARCHITECTURES.join(' and ')}; this Node.js is built for ${arch}.`;
  }
  if (Number(versions.node.split('.')[0]) < OLDEST_NODE) {
    return `Trainyard needs Node.js ${OLDEST_NODE} or newer; this is ${versions.node}. See https://nodejs.org for a newer one.`;
  }
  return null;
}
