/*
 * A driver's library for tests. What it says is in the text file SCRIPT, read anew at every call, in lines of
 * `<device>.<what> <words>`: the first GPU is `0`, its second MIG device `0/1`.
 *
 *     count 2                          how many GPUs there are
 *     0.name NVIDIA A100               also uuid, load, temperature, power (mW), mig, parts, gi, ci, slices
 *     0.memory 100 10 30               total, reserved, used
 *     0.compute 7:1024 8:-             processes and what they use; graphics likewise
 *     0.busy 7:40:1000                 process, percent, when (microseconds)
 *     0.fails nvmlDeviceGetName 15     what a function returns for this device
 *     0.hangs nvmlDeviceGetName        for as long as the line is there
 *
 * What the script does not say is not supported. Built with OLD it lacks the functions that came later; INFO_BYTES
 * is how large the structs in lists of processes are.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUCCESS 0
#define NOT_SUPPORTED 3
#define NOT_FOUND 6
#define INSUFFICIENT_SIZE 7

#define PER_GPU 64
#define LINE_BYTES 16384

typedef uint64_t Device;

static Device wholeDevice(unsigned gpu) { return ((Device)gpu + 1) * PER_GPU; }

static void nameOf(Device device, char *name) {
  unsigned gpu = device / PER_GPU - 1, part = device % PER_GPU;
  if (part == 0) sprintf(name, "%u", gpu);
  else sprintf(name, "%u/%u", gpu, part - 1);
}

/* Finds the line that begins with these words, and gives what follows them. */
static int find(const char *words, char *rest) {
  static __thread char line[LINE_BYTES];
  FILE *script = fopen(SCRIPT, "r");
  size_t length = strlen(words);
  int found = 0;
  if (script == NULL) return 0;
  while (!found && fgets(line, sizeof line, script) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, words, length) != 0 || (line[length] != ' ' && line[length] != 0)) continue;
    strcpy(rest, line[length] == 0 ? "" : line + length + 1);
    found = 1;
  }
  fclose(script);
  return found;
}

static int say(Device device, const char *what, char *rest) {
  char words[256], name[32];
  nameOf(device, name);
  sprintf(words, "%s.%s", name, what);
  return find(words, rest);
}

/* What this function must return whatever else the script says; or 0. */
static int trouble(Device device, const char *function) {
  static __thread char rest[LINE_BYTES];
  char what[256];
  sprintf(what, "hangs %s", function);
  while (say(device, what, rest)) usleep(2000);
  sprintf(what, "fails %s", function);
  return say(device, what, rest) ? atoi(rest) : SUCCESS;
}

#define BEGIN                           \
  int code = trouble(device, __func__); \
  if (code != SUCCESS) return code;

static int number(Device device, const char *what, unsigned *value) {
  static __thread char rest[LINE_BYTES];
  if (!say(device, what, rest)) return NOT_SUPPORTED;
  *value = strtoul(rest, NULL, 10);
  return SUCCESS;
}

static int text(Device device, const char *what, char *into, unsigned length) {
  static __thread char rest[LINE_BYTES];
  if (!say(device, what, rest)) return NOT_SUPPORTED;
  if (strlen(rest) >= length) return INSUFFICIENT_SIZE;
  strcpy(into, rest);
  return SUCCESS;
}

int nvmlInit_v2(void) {
  static __thread char rest[LINE_BYTES];
  while (find("init hangs", rest)) usleep(2000);
  return find("init fails", rest) ? atoi(rest) : SUCCESS;
}

int nvmlShutdown(void) { return SUCCESS; }

int nvmlDeviceGetCount_v2(unsigned *count) {
  static __thread char rest[LINE_BYTES];
  *count = find("count", rest) ? atoi(rest) : 0;
  return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *into) {
  Device device = wholeDevice(index);
  int code = trouble(device, __func__);
  *into = device;
  return code;
}

int nvmlDeviceGetName(Device device, char *into, unsigned length) { BEGIN return text(device, "name", into, length); }
int nvmlDeviceGetUUID(Device device, char *into, unsigned length) { BEGIN return text(device, "uuid", into, length); }

static int memory(Device device, unsigned long long *total, unsigned long long *reserved, unsigned long long *used) {
  static __thread char rest[LINE_BYTES];
  if (!say(device, "memory", rest)) return NOT_SUPPORTED;
  return sscanf(rest, "%llu %llu %llu", total, reserved, used) == 3 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetMemoryInfo(Device device, unsigned long long *info) {
  unsigned long long total, reserved, used;
  BEGIN
  if ((code = memory(device, &total, &reserved, &used)) != SUCCESS) return code;
  info[0] = total;
  info[1] = total - reserved - used;
  info[2] = reserved + used;
  return SUCCESS;
}

#ifndef OLD
struct MemoryV2 { unsigned version; unsigned long long total, reserved, free, used; };

int nvmlDeviceGetMemoryInfo_v2(Device device, struct MemoryV2 *info) {
  BEGIN
  if (info->version != (sizeof *info | (2 << 24))) return 25;
  if ((code = memory(device, &info->total, &info->reserved, &info->used)) != SUCCESS) return code;
  info->free = info->total - info->reserved - info->used;
  return SUCCESS;
}
#endif

int nvmlDeviceGetUtilizationRates(Device device, unsigned *rates) { BEGIN rates[1] = 7; return number(device, "load", rates); }
int nvmlDeviceGetTemperature(Device device, int sensor, unsigned *degrees) {
  BEGIN
  return sensor == 0 ? number(device, "temperature", degrees) : 2;
}
int nvmlDeviceGetPowerUsage(Device device, unsigned *milliwatts) { BEGIN return number(device, "power", milliwatts); }

static int processes(Device device, const char *what, unsigned *count, unsigned char *infos, size_t each) {
  static __thread char rest[LINE_BYTES];
  unsigned room = *count, found = 0;
  if (!say(device, what, rest)) rest[0] = 0;
  for (char *at = strtok(rest, " "); at != NULL; at = strtok(NULL, " "), found++) {
    if (found >= room) continue;
    unsigned char *info = infos + found * each;
    unsigned long long used = strchr(at, ':')[1] == '-' ? ~0ULL : strtoull(strchr(at, ':') + 1, NULL, 10);
    unsigned pid = atoi(at);
    memset(info, 0, each);
    memcpy(info, &pid, 4);
    memcpy(info + 8, &used, 8);
    if (each >= 24) memset(info + 16, 0xff, 8);
  }
  *count = found;
  return found > room ? INSUFFICIENT_SIZE : SUCCESS;
}

#ifndef INFO_BYTES
#define INFO_BYTES 24
#endif

#define LISTS(suffix, each)                                                                              \
  int nvmlDeviceGetComputeRunningProcesses##suffix(Device device, unsigned *count, unsigned char *infos) { \
    BEGIN                                                                                                \
    return processes(device, "compute", count, infos, each);                                             \
  }                                                                                                      \
  int nvmlDeviceGetGraphicsRunningProcesses##suffix(Device device, unsigned *count, unsigned char *infos) { \
    BEGIN                                                                                                \
    return processes(device, "graphics", count, infos, each);                                            \
  }

LISTS(, 16)
#ifndef OLD
LISTS(_v3, INFO_BYTES)
#endif

struct Sample { unsigned pid; unsigned long long at; unsigned sm, memory, encoder, decoder; };

int nvmlDeviceGetProcessUtilization(Device device, struct Sample *samples, unsigned *count, uint64_t since) {
  static __thread char rest[LINE_BYTES];
  unsigned room = *count, found = 0;
  BEGIN
  if (!say(device, "busy", rest)) return NOT_SUPPORTED;
  for (char *at = strtok(rest, " "); at != NULL; at = strtok(NULL, " ")) {
    struct Sample sample = {0, 0, 0, 3, 0, 0};
    if (sscanf(at, "%u:%u:%llu", &sample.pid, &sample.sm, &sample.at) != 3 || sample.at <= since) continue;
    if (found < room) samples[found] = sample;
    found++;
  }
  *count = found;
  return found == 0 ? NOT_FOUND : found > room ? INSUFFICIENT_SIZE : SUCCESS;
}

#ifndef OLD
int nvmlDeviceGetMigMode(Device device, unsigned *current, unsigned *pending) {
  BEGIN
  *pending = 0;
  return number(device, "mig", current);
}

int nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned *count) { BEGIN return number(device, "parts", count); }

int nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device *into) {
  static __thread char rest[LINE_BYTES];
  BEGIN
  *into = device + index + 1;
  return say(*into, "uuid", rest) ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetGpuInstanceId(Device device, unsigned *id) { BEGIN return number(device, "gi", id); }
int nvmlDeviceGetComputeInstanceId(Device device, unsigned *id) { BEGIN return number(device, "ci", id); }

int nvmlDeviceGetAttributes_v2(Device device, unsigned *attributes) {
  BEGIN
  memset(attributes, 0, 40);
  return number(device, "slices", attributes + 6);
}
#endif
