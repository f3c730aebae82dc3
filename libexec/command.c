/*
 * The quickest client: what libexec/command.pl does for plain commands, compiled where there is a C compiler
 * (docs/decisions/007-compiled-client.md). It carries one command to a yard that is there and brings its output and
 * exit code back. Whatever else is to be done (start a yard, run something here) is left to bin/trainyard, which it
 * becomes. The protocol is described in src/model/frames.ts; one set of tests runs against all clients.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_BYTES 65536
#define LOOKS_FOR_A_YARD 25
#define LOOK_MS 50
#define MOST_RETURNS 20
#define CONNECT_SECONDS 10
#define POINTER_BYTES 4096
#define MAX_FRAME_BYTES (16 * 1024 * 1024)

struct bytes {
    char *data;
    size_t length, room;
};

extern char **environ;
static const char *name;        /* by which we were called */
static char **arguments;
static int yard = -1;           /* the connection */
static struct bytes request;    /* all but its end */
static struct bytes to_yard;    /* not sent yet */
static struct bytes from_yard;  /* of an unfinished header or frame */
static char *ticket;            /* by which the next yard knows what this one began for us */
static int returns;             /* how often we had to look for the next yard */
static volatile sig_atomic_t ended_by;                /* the signal that asked us to end */
static int signal_pipe[2];                            /* signals, one byte each, in the order they came */

static void ask_the_next_yard(void);

static __attribute__((noreturn)) void complain(const char *sentence, int code) {
    dprintf(2, "%s: error: %s\n", name, sentence);
    exit(code);
}

/* ---- bytes ---- */

static void add(struct bytes *to, const void *data, size_t length) {
    if (to->length + length > to->room) {
        to->room = (to->length + length) * 2 + 1024;
        to->data = realloc(to->data, to->room);
        if (to->data == NULL) complain("there is no memory left", 1);
    }
    if (length > 0) memcpy(to->data + to->length, data, length);
    to->length += length;
}

static void take(struct bytes *from, size_t length) {
    memmove(from->data, from->data + length, from->length - length);
    from->length -= length;
}

static void add_head(struct bytes *to, char type, size_t length) {
    unsigned char head[5] = {type, length >> 24, length >> 16, length >> 8, length};
    add(to, head, sizeof head);
}

static void add_frame(struct bytes *to, char type, const void *data, size_t length) {
    add_head(to, type, length);
    add(to, data, length);
}

static void add_text(struct bytes *to, char type, const char *text) {
    add_frame(to, type, text, strlen(text));
}

/* ---- where a yard is: the same rule as in src/client/places.ts ---- */

static const char *variable(const char *which) {
    const char *value = getenv(which);
    return value == NULL ? "" : value;
}

/* Whose directory, pointer and socket it may be: ours, root's, or that of the user whose directory root has named. */
static uid_t named_by_root;

static int is_trusted(uid_t user) {
    return user == geteuid() || user == 0 || user == named_by_root;
}

/* A file or directory that nobody else can have written. */
static int is_ours(const struct stat *found) {
    return is_trusted(found->st_uid) && (found->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Gives the length of the text, or -1. A fifo, a link or a device in the place of the file makes nobody wait. */
static ssize_t read_pointer(int directory, char *text, size_t room) {
    struct stat found;
    int file = openat(directory, "socket", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t got = -1;
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && is_ours(&found)) got = read(file, text, room - 1);
    close(file);
    if (got >= 0) text[got] = '\0';
    return got;
}

/* The path that the pointer leads to, or NULL: it is none, or was written for another directory and copied along. */
static char *socket_path(char *text, const struct stat *directory) {
    char identity[64];
    size_t length = strcspn(text, "\n");
    char *second = text[length] == '\n' ? text + length + 1 : text + length;
    text[length] = '\0';
    if (second != text + length) second[strcspn(second, "\n")] = '\0';
    snprintf(identity, sizeof identity, "%llu %llu", (unsigned long long)directory->st_dev,
             (unsigned long long)directory->st_ino);
    if (*text != '/' || (*second && strcmp(second, identity) != 0)) return NULL;
    return text;
}

/* Connects, and asks the kernel who listens there: nobody but whom we trust is sent anything. */
static int connect_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = CONNECT_SECONDS};
    struct ucred listener;
    socklen_t size = sizeof listener;
    if (strlen(path) >= sizeof address.sun_path) return 0;
    strcpy(address.sun_path, path);
    yard = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (yard < 0) return 0;
    setsockopt(yard, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(yard, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockopt(yard, SOL_SOCKET, SO_PEERCRED, &listener, &size) == 0 && is_trusted(listener.uid))
        return 1;
    close(yard);
    yard = -1;
    return 0;
}

/* What cannot be trusted is no yard here: the launcher, which we become then, says why where somebody has named it. */
static int connect_in(const char *path, int is_named, int is_shared) {
    char text[POINTER_BYTES + 1];
    struct stat found;
    int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | (is_shared ? O_NOFOLLOW : 0));
    if (directory < 0) return 0;
    const char *to = NULL;
    if (fstat(directory, &found) == 0) {
        named_by_root = is_named && geteuid() == 0 ? found.st_uid : geteuid();
        if (is_ours(&found) && read_pointer(directory, text, sizeof text) > 0) to = socket_path(text, &found);
    }
    close(directory);
    return to != NULL && connect_at(to);
}

static int connect_to_a_yard(void) {
    char place[PATH_MAX];
    const char *named = variable("TRAINYARD_DIR"), *state = variable("XDG_STATE_HOME"), *home = variable("HOME");
    if (*named) return connect_in(named, 1, 0);
    int length = 0;
    if (*state == '/') length = snprintf(place, sizeof place, "%s/trainyard", state);
    else if (*home == '/') length = snprintf(place, sizeof place, "%s/.local/state/trainyard", home);
    if (length > 0 && length < (int)sizeof place && connect_in(place, 0, 0)) return 1;
    snprintf(place, sizeof place, "/var/tmp/trainyard-%u", geteuid());
    if (connect_in(place, 0, 1)) return 1;
    snprintf(place, sizeof place, "/tmp/trainyard-%u", geteuid());
    return connect_in(place, 0, 1);
}

/* ---- what is said about the caller ---- */

static int window_size(char *text, size_t room) {
    for (int stream = 2; stream >= 0; stream--) {
        struct winsize size;
        int at = stream == 2 ? 1 : stream == 1 ? 2 : 0;
        if (ioctl(at, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) continue;
        snprintf(text, room, "%u %u", size.ws_col, size.ws_row);
        return size.ws_col;
    }
    *text = '\0';
    return 0;
}

/* A file in the zone directory, however it is written. */
static const char *zone_name(const char *zone) {
    if (*zone == ':') zone++;
    for (const char *at; (at = strstr(zone, "zoneinfo/")) != NULL;) zone = at + strlen("zoneinfo/");
    if (strncmp(zone, "posix/", 6) == 0 || strncmp(zone, "right/", 6) == 0) zone += 6;
    return zone;
}

static const char *zone_of_the_machine(char *text, size_t room) {
    ssize_t got = readlink("/etc/localtime", text, room - 1);
    if (got > 0) {
        text[got] = '\0';
        if (strstr(text, "zoneinfo/") != NULL) return zone_name(text);
    }
    int file = open("/etc/timezone", O_RDONLY | O_CLOEXEC);
    got = file < 0 ? -1 : read(file, text, room - 1);
    if (file >= 0) close(file);
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void add_zone(void) {
    char text[PATH_MAX], fact[PATH_MAX + 8];
    const char *own = getenv("TZ");
    const char *zone = own == NULL ? zone_of_the_machine(text, sizeof text) : *own ? zone_name(own) : "UTC";
    if (*zone == '\0' || snprintf(fact, sizeof fact, "zone=%s", zone) >= (int)sizeof fact) return;
    add_text(&request, 'k', fact);
}

/* Soft limits in the units of a POSIX shell's `ulimit`; the same table as in src/client/caller.ts. */
static void add_limits(void) {
    static const struct {
        char letter;
        int which;
        unsigned unit;
    } LIMITS[] = {
        {'t', RLIMIT_CPU, 1},       {'f', RLIMIT_FSIZE, 512}, {'d', RLIMIT_DATA, 1024},    {'s', RLIMIT_STACK, 1024},
        {'c', RLIMIT_CORE, 512},    {'m', RLIMIT_RSS, 1024},  {'n', RLIMIT_NOFILE, 1},     {'l', RLIMIT_MEMLOCK, 1024},
        {'v', RLIMIT_AS, 1024},     {'r', RLIMIT_RTPRIO, 1},
    };
    for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; i++) {
        struct rlimit limit;
        char fact[64];
        if (getrlimit(LIMITS[i].which, &limit) != 0) continue;
        if (limit.rlim_cur == RLIM_INFINITY) snprintf(fact, sizeof fact, "ulimit-%c=unlimited", LIMITS[i].letter);
        else {
            unsigned long long units = limit.rlim_cur / LIMITS[i].unit;
            snprintf(fact, sizeof fact, "ulimit-%c=%llu", LIMITS[i].letter, units);
        }
        add_text(&request, 'k', fact);
    }
}

static void add_environment(void) {
    size_t length = 0;
    for (char **each = environ; *each != NULL; each++) length += strlen(*each) + 1;
    add_head(&request, 'v', length);
    for (char **each = environ; *each != NULL; each++) add(&request, *each, strlen(*each) + 1);
}

static void make_request(void) {
    static const char HEAD[] = "GET /v1/command HTTP/1.1\r\nHost: yard\r\nConnection: Upgrade\r\n"
                               "Upgrade: trainyard-command\r\n\r\n";
    char text[PATH_MAX], size[32];
    add(&request, HEAD, sizeof HEAD - 1);
    add_text(&request, 'a', name);
    for (char **each = arguments; *each != NULL; each++) add_text(&request, 'a', *each);
    ssize_t got = readlink("/proc/self/cwd", text, sizeof text);
    add_frame(&request, 'd', text, got > 0 ? got : 0);
    add_environment();
    mode_t mask = umask(0);
    umask(mask);
    snprintf(text, sizeof text, "umask=%04o", mask);
    add_text(&request, 'k', text);
    snprintf(text, sizeof text, "tty=%s%s%s", isatty(0) ? "0" : "", isatty(1) ? "1" : "", isatty(2) ? "2" : "");
    add_text(&request, 'k', text);
    int columns = window_size(size, sizeof size);
    if (columns > 0) {
        snprintf(text, sizeof text, "columns=%d", columns);
        add_text(&request, 'k', text);
    }
    add_zone();
    add_limits();
}

/* ---- signals ---- */

static int is_ending(int number) {
    return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

static void die_by(int number) {
    sigset_t one;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + number);
}

/* The end of a job may come to us in several ways at once. Who is still asked a second later shall not wait longer. */
static void on_signal(int number) {
    static struct timespec first;
    struct timespec now;
    int before = errno;
    char byte = number;
    if (is_ending(number)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (!ended_by) first = now;
        else if (now.tv_sec - first.tv_sec > (now.tv_nsec < first.tv_nsec)) die_by(number);
        else return;
        ended_by = number;
    }
    if (write(signal_pipe[1], &byte, 1) < 0) errno = before;
    errno = before;
}

/* What the caller had told us to ignore (nohup, a job in the background) stays ignored. */
static void forward_signals(void) {
    static const int SIGNALS[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGWINCH};
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) complain("there is no descriptor left", 1);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        struct sigaction was, now = {.sa_handler = on_signal};
        sigaction(SIGNALS[i], NULL, &was);
        if (was.sa_handler != SIG_IGN) sigaction(SIGNALS[i], &now, NULL);
    }
}

static void tell_of_signals(void) {
    char numbers[64], text[32];
    ssize_t got = read(signal_pipe[0], numbers, sizeof numbers);
    for (ssize_t i = 0; i < got; i++) {
        if (numbers[i] == SIGWINCH) window_size(text, sizeof text);
        else snprintf(text, sizeof text, "%d", numbers[i]);
        add_text(&to_yard, numbers[i] == SIGWINCH ? 'w' : 's', text);
    }
}

/* ---- the conversation ---- */

/* A yard that has gone shows when reading; whatever it said before is still to be had. */
static void send_waiting(void) {
    ssize_t sent = send(yard, to_yard.data, to_yard.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) take(&to_yard, sent);
    else if (sent < 0 && errno != EAGAIN && errno != EINTR) to_yard.length = 0;
}

/* False at the end of input. */
static int pass_input_on(void) {
    static char chunk[CHUNK_BYTES];
    ssize_t got = read(0, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 1;
    if (got <= 0) add_text(&to_yard, 'z', "");
    else add_frame(&to_yard, 'i', chunk, got);
    return got > 0;
}

/* Waits until something has come from the yard and gives true, or false at its end. Meanwhile what waits for the yard
 * is sent, and input is read when the yard wants it. */
static int receive(int *input_wanted) {
    for (;;) {
        int reads = input_wanted != NULL && *input_wanted && to_yard.length < CHUNK_BYTES;
        struct pollfd watched[3] = {
            {.fd = yard, .events = POLLIN | (to_yard.length > 0 ? POLLOUT : 0)},
            {.fd = signal_pipe[0], .events = POLLIN},
            {.fd = reads ? 0 : -1, .events = POLLIN},
        };
        if (poll(watched, 3, -1) < 0) continue;
        if (watched[1].revents) tell_of_signals();
        if (watched[0].revents & POLLOUT) send_waiting();
        if (watched[0].revents & (POLLIN | POLLHUP | POLLERR)) {
            char chunk[CHUNK_BYTES];
            ssize_t got = read(yard, chunk, sizeof chunk);
            if (got < 0 && errno == EINTR) continue;
            if (got > 0) add(&from_yard, chunk, got);
            return got > 0;
        }
        if (watched[2].revents) *input_wanted = pass_input_on();
    }
}

static char root[PATH_MAX];     /* of the installation, found from our own file */

static void find_root(void) {
    ssize_t got = readlink("/proc/self/exe", root, sizeof root - 1);
    root[got > 0 ? got : 0] = '\0';
    /* It is dist/bin/trainyard. */
    for (int i = 0; i < 3; i++) {
        char *slash = strrchr(root, '/');
        if (slash != NULL) *slash = '\0';
    }
}

/* The launcher can do everything; a script does not learn by what name a program was called, so it is told. */
static void become_the_launcher(void) {
    char path[PATH_MAX + 16];
    size_t count = 0;
    while (arguments[count] != NULL) count++;
    const char **words = calloc(count + 4, sizeof *words);
    if (words == NULL) complain("there is no memory left", 1);
    find_root();
    snprintf(path, sizeof path, "%s/bin/trainyard", root);
    words[0] = path;
    words[1] = "--called-as";
    words[2] = name;
    memcpy(words + 3, arguments, count * sizeof *words);
    execv(path, (char **)words);
    complain("bin/trainyard of this installation cannot be started", 127);
}

/* `{"error":{"message":"…"}}`, or whatever else came. */
static void complain_of(struct bytes *body) {
    add(body, "", 1);
    char *message = strstr(body->data, "\"message\":\"");
    if (message == NULL) complain(*body->data ? body->data : "the yard refused the command", 1);
    message += strlen("\"message\":\"");
    char *to = message;
    for (char *from = message; *from && *from != '"'; from++) {
        if (*from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    *to = '\0';
    complain(message, 1);
}

/* Before anything has come there is not even a place to look at. */
static char *end_of_head(void) {
    if (from_yard.length > MAX_FRAME_BYTES) complain("the answer of the yard is too long", 1);
    return from_yard.length == 0 ? NULL : memmem(from_yard.data, from_yard.length, "\r\n\r\n", 4);
}

static void receive_the_upgrade(void) {
    char *end;
    while ((end = end_of_head()) == NULL) {
        if (receive(NULL)) continue;
        if (ended_by) die_by(ended_by);
        if (from_yard.length > 0) complain("the yard answered with something that is not HTTP", 1);
        if (ticket == NULL) become_the_launcher();
        ask_the_next_yard();
        return;
    }
    size_t head = end + 4 - from_yard.data;
    int is_upgraded = strncmp(from_yard.data, "HTTP/1.1 101 ", 13) == 0;
    *end = '\0';
    char *length = is_upgraded ? NULL : strcasestr(from_yard.data, "\r\nContent-Length:");
    size_t body = length == NULL ? 0 : strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
    take(&from_yard, head);
    if (is_upgraded) return;
    if (body > MAX_FRAME_BYTES) complain("the answer of the yard is too long", 1);
    while (from_yard.length < body && receive(NULL)) {
    }
    complain_of(&from_yard);
}

static void ask(void) {
    from_yard.length = to_yard.length = 0;
    add(&to_yard, request.data, request.length);
    if (ticket != NULL) {
        add_head(&to_yard, 'k', strlen("ticket=") + strlen(ticket));
        add(&to_yard, "ticket=", strlen("ticket="));
        add(&to_yard, ticket, strlen(ticket));
    }
    add_text(&to_yard, 'g', "");
    send_waiting();
    receive_the_upgrade();
}

/* As a child, which ends when there is one, or has said why there is none. */
static void start_a_yard(void) {
    char client[PATH_MAX + 32];
    int status = 0;
    find_root();
    snprintf(client, sizeof client, "%s/libexec/client.cjs", root);
    pid_t child = fork();
    if (child == 0) {
        execlp("node", "node", client, "0", "trainyard", "up", "--quiet", (char *)NULL);
        complain("this needs Node.js 20 or newer to start a yard, and there is no node in PATH", 127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || status != 0) exit(1);
    if (!connect_to_a_yard()) complain("the yard that was started does not answer", 1);
}

/* The yard has gone, and what it began for us is with the one that comes next. */
static void ask_the_next_yard(void) {
    if (++returns > MOST_RETURNS) complain("the yard goes away again and again", 1);
    close(yard);
    for (int look = 0; look < LOOKS_FOR_A_YARD; look++) {
        if (connect_to_a_yard()) return ask();
        poll(NULL, 0, LOOK_MS);
        if (ended_by) die_by(ended_by);
    }
    start_a_yard();
    ask();
}

/* Waits for a slow reader; meanwhile the yard waits for us. */
static void write_out(int stream, const char *data, size_t length) {
    while (length > 0) {
        ssize_t written = write(stream, data, length);
        if (written >= 0) {
            data += written;
            length -= written;
        } else if (errno == EAGAIN) {
            struct pollfd watched = {.fd = stream, .events = POLLOUT};
            poll(&watched, 1, 1000);
        } else if (errno == EPIPE) {
            exit(141);
        } else if (errno != EINTR) {
            char sentence[256];
            snprintf(sentence, sizeof sentence, "cannot write: %s", strerror(errno));
            complain(sentence, 1);
        }
    }
}

/* A code that says "ended by that signal" is passed on as just that, so that a shell's loop ends as well. */
static void leave(const char *text, size_t length) {
    char digits[16] = "";
    memcpy(digits, text, length < sizeof digits ? length : sizeof digits - 1);
    int code = atoi(digits);
    if (ended_by && code == 128 + ended_by) die_by(ended_by);
    exit(code);
}

static void remember_ticket(const char *text, size_t length) {
    free(ticket);
    ticket = strndup(text, length);
}

static void relay(void) {
    int input_wanted = 0;
    for (;;) {
        while (from_yard.length >= 5) {
            const unsigned char *head = (unsigned char *)from_yard.data;
            size_t length = (size_t)head[1] << 24 | head[2] << 16 | head[3] << 8 | head[4];
            const char *payload = from_yard.data + 5;
            if (length > MAX_FRAME_BYTES) complain("the yard sent a frame that is too long", 1);
            if (from_yard.length < 5 + length) break;
            switch (*from_yard.data) {
                case 'o': write_out(1, payload, length); break;
                case 'e': write_out(2, payload, length); break;
                case 'n': input_wanted = 1; break;
                case 't': remember_ticket(payload, length); break;
                case 'p': complain("the yard answered with a program to run, which this command did not ask for: "
                                   "nothing was run", 1);
                case 'x': leave(payload, length);
            }
            take(&from_yard, 5 + length);
        }
        if (receive(&input_wanted)) continue;
        if (ended_by) die_by(ended_by);
        if (ticket == NULL)
            complain("the yard went away before it answered; what was asked may or may not have been done", 1);
        ask_the_next_yard();
    }
}

int main(int count, char **words) {
    /* Where the caller closed 0, 1 or 2, no file and no connection may take that place. */
    int null;
    while ((null = open("/dev/null", O_RDWR)) >= 0 && null <= 2) {
    }
    if (null >= 0) close(null);
    const char *slash = count > 0 ? strrchr(words[0], '/') : NULL;
    name = count == 0 ? "" : slash == NULL ? words[0] : slash + 1;
    arguments = words + (count > 0);
    if (count == 0 || !connect_to_a_yard()) become_the_launcher();
    make_request();
    forward_signals();
    ask();
    relay();
}
