#include "feed.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>

namespace {
// As many files as the helper follows.
constexpr int limit = 20000;
constexpr int linesAtOnce = 1000;
// Milliseconds.
constexpr int gatherTime = 10, menuPatience = 100, firstPause = 1000, longestPause = 60000;
constexpr qint64 longestLine = 8 << 20;

QJsonArray uris(const QList<QUrl> &urls)
{
    QJsonArray found;
    for (const QUrl &url : urls)
        found.append(QString::fromLatin1(url.toEncoded()));
    return found;
}
}

Feed *Feed::shared()
{
    // It ends with the application: the process has to be gone before Qt is.
    static Feed *const feed = new Feed;
    return feed;
}

Feed::Feed()
    : QObject(QCoreApplication::instance())
    , m_pause(firstPause)
{
    m_gather.setSingleShot(true);
    m_gather.setInterval(gatherTime);
    connect(&m_gather, &QTimer::timeout, this, &Feed::followAll);
    m_restart.setSingleShot(true);
    connect(&m_restart, &QTimer::timeout, this, &Feed::start);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &Feed::read);
    connect(&m_process, QOverload<int, QProcess::ExitStatus>::of(&QProcess::finished), this, &Feed::restartLater);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            restartLater();
    });
    start();
}

Feed::~Feed()
{
    m_process.disconnect(this);
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(500))
        m_process.kill();
}

void Feed::start()
{
    m_line.clear();
    m_process.start(QStringLiteral(UBIQUITY_FILES_PROGRAM), QStringList());
    for (const QByteArray &uri : std::as_const(m_order))
        followSoon(uri);
}

// The states are those of a connection that is gone: an old one is worse than none.
void Feed::restartLater()
{
    const QHash<QByteArray, QString> old = m_icons;
    for (QString &icon : m_icons)
        icon.clear();
    for (auto entry = old.begin(); entry != old.end(); ++entry)
        if (!entry.value().isEmpty())
            Q_EMIT changed(QUrl::fromEncoded(entry.key()), QString());
    m_restart.start(m_pause);
    m_pause = qMin(m_pause * 2, longestPause);
}

QString Feed::icon(const QUrl &url)
{
    if (!url.isLocalFile())
        return {};
    const QByteArray uri = url.toEncoded();
    const auto known = m_icons.constFind(uri);
    if (known != m_icons.constEnd())
        return known.value();
    m_icons.insert(uri, QString());
    m_order.enqueue(uri);
    if (m_order.size() > limit)
        m_icons.remove(m_order.dequeue());
    followSoon(uri);
    return {};
}

void Feed::followSoon(const QByteArray &uri)
{
    m_waiting.insert(uri);
    if (!m_gather.isActive())
        m_gather.start();
}

void Feed::followAll()
{
    if (m_process.state() != QProcess::Running) {
        // Until it runs, or it is started again, when all are followed.
        if (m_process.state() == QProcess::Starting)
            m_gather.start();
        return;
    }
    QJsonArray followed;
    for (auto uri = m_waiting.begin(); uri != m_waiting.end() && followed.size() < linesAtOnce;) {
        followed.append(QString::fromLatin1(*uri));
        uri = m_waiting.erase(uri);
    }
    send({{QStringLiteral("follow"), followed}});
    if (!m_waiting.isEmpty())
        m_gather.start();
}

void Feed::send(const QJsonObject &request)
{
    if (m_process.state() == QProcess::Running)
        m_process.write(QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n');
}

QList<Feed::Command> Feed::menu(const QList<QUrl> &urls)
{
    for (const QUrl &url : urls)
        if (!url.isLocalFile())
            return {};
    const QDeadlineTimer deadline(menuPatience);
    m_menuResponse = {};
    send({{QStringLiteral("menu"), ++m_menu}, {QStringLiteral("uris"), uris(urls)}});
    while (m_menuResponse.isEmpty()) {
        const int rest = int(deadline.remainingTime());
        if (m_process.state() == QProcess::NotRunning || rest <= 0 || !m_process.waitForReadyRead(rest))
            return {};
        // The signal may have read it already, or may be blocked because this is called by one.
        read();
    }
    QList<Command> commands;
    const QJsonArray items = m_menuResponse[QStringLiteral("items")].toArray();
    for (const auto &item : items) {
        const QJsonArray words = item.toArray();
        commands.append({words[0].toString(), words[1].toString(), words[2].toString()});
    }
    return commands;
}

void Feed::perform(const QString &command, const QList<QUrl> &urls)
{
    send({{QStringLiteral("perform"), command}, {QStringLiteral("uris"), uris(urls)}});
}

void Feed::read()
{
    m_line += m_process.readAllStandardOutput();
    qsizetype end;
    while ((end = m_line.indexOf('\n')) >= 0) {
        const QByteArray line = m_line.left(end);
        m_line.remove(0, end + 1);
        handle(QJsonDocument::fromJson(line).object());
    }
    // No response is as long.
    if (m_line.size() > longestLine)
        m_process.kill();
}

void Feed::handle(const QJsonObject &response)
{
    m_pause = firstPause;
    const QJsonObject emblems = response[QStringLiteral("emblems")].toObject();
    for (auto entry = emblems.begin(); entry != emblems.end(); ++entry) {
        const QByteArray uri = entry.key().toLatin1();
        const auto known = m_icons.find(uri);
        const QString icon = entry.value().toString();
        if (known == m_icons.end() || known.value() == icon)
            continue;
        known.value() = icon;
        Q_EMIT changed(QUrl::fromEncoded(uri), icon);
    }
    if (response[QStringLiteral("menu")].toInt(-1) == m_menu)
        m_menuResponse = response;
    if (response.contains(QStringLiteral("copy")))
        QGuiApplication::clipboard()->setText(response[QStringLiteral("copy")].toString());
    if (response.contains(QStringLiteral("error")))
        qWarning("ubiquity-files: %s", qPrintable(response[QStringLiteral("error")].toString()));
}
