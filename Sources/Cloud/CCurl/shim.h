#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/socket.h>

/* libcurl's options are set by functions with a variable number of arguments, which Swift cannot call. */

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) { return curl_easy_setopt(easy, option, value); }

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) { return curl_easy_setopt(easy, option, value); }

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) { return curl_easy_setopt(easy, option, value); }

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(easy, option, value); }

/* The bytes are copied. */
static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = { bytes, count, CURL_BLOB_COPY };
    return curl_easy_setopt(easy, option, &blob);
}

static inline CURLcode ccurl_on_header(CURL *easy, size_t (*call)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, call);
}

static inline CURLcode ccurl_on_body(CURL *easy, size_t (*call)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, call);
}

static inline CURLcode ccurl_on_upload(CURL *easy, size_t (*call)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, call);
}

static inline CURLcode ccurl_on_progress(CURL *easy, int (*call)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, call);
}

static inline curl_socket_t ccurl_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* libcurl's sockets would be open in each program that this process starts. */
static inline CURLcode ccurl_close_on_exec(CURL *easy) { return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket); }

static inline CURLcode ccurl_on_connected(CURL *easy, int (*call)(void *, char *, char *, int, int)) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, call);
}

static inline long ccurl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline curl_off_t ccurl_get_size(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }

/* Returns the next transfer that has ended, with its result; NULL where there is none. */
static inline CURL *ccurl_multi_next_ended(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

static const size_t ccurl_body_pause = CURL_WRITEFUNC_PAUSE;
